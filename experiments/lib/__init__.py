"""What experiments share: run directories, seeds, duplicate matches, statistics and reports."""
