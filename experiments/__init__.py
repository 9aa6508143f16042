"""Experiments: one script a job, as ``python -m experiments.train``; settings in ``configs``."""
