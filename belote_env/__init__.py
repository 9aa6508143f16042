"""Belote for reinforcement learning and search: rules, a numba engine and standard environments."""
