"""Random rule sets over all presets and options, for tests that must hold under any rules."""

from __future__ import annotations

import random

from belote_env.rules import INTEGER_OPTIONS, OPTIONS, PRESETS, RuleSet, option_values


def draw_rules(rng: random.Random) -> RuleSet:
    """A preset after some random changes, one option at a time and in random order.

    A change that the other options refuse is left out, so every legal combination that single
    steps lead to can be drawn, from none of the options changed to all of them.
    """
    rules = rng.choice(list(PRESETS.values()))
    share = rng.random()
    for option in rng.sample(OPTIONS, len(OPTIONS)):
        if rng.random() < share:
            values = INTEGER_OPTIONS.get(option) or option_values(option)
            try:
                rules = rules.replace(**{option: rng.choice(values)})
            except ValueError:
                continue
    return rules
