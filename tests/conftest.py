"""Settings of hypothesis: repeatable in continuous integration, exploring elsewhere."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The first example of a run compiles kernels, so neither it nor its data may be timed.
settings.register_profile(
    "explore", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("repeat", settings.get_profile("explore"), derandomize=True)
settings.load_profile("repeat" if os.environ.get("CI") else "explore")
