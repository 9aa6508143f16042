"""Adapters to public engines and their agents, for benchmarks and differential tests.

They need the extra ``peers``.
"""
