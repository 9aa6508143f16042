"""Agents that play Belote; they import the environment and run from a checkout."""
