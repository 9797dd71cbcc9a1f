"""How many cases are drawn: a test with ``@attack`` is short in ``make test`` and long in ``make test-all``."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

LONG = os.environ.get("TAMIS_ATTACK", "") == "long"
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

# The short run draws the same cases every time, so that a change is not blamed for what it did not do.
settings.register_profile("attack-short", max_examples=25, derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("attack-long", max_examples=2_500, deadline=None, suppress_health_check=SLOW, print_blob=True)

attack = settings.get_profile("attack-long" if LONG else "attack-short")
