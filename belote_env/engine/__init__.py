"""The numba core: free functions on plain arrays, no Python objects.

Only this package knows a rule of the game.  Every kernel takes the rule data of
`belote_env.engine.options` first and a state record of `belote_env.engine.state` next.
"""
