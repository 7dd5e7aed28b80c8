"""The checks: each a pure function from an observation to what it objects to, or None."""

from __future__ import annotations

from collections.abc import Callable

from conformance.checks.catalogue import CHECKS, Check
from conformance.checks.conservation import markers_do_not_leak, nothing_lost, order_kept
from conformance.checks.equality import chunks_do_not_matter, streamed_equals_split, surfaces_agree, whitespace_agrees
from conformance.checks.reading import finish_respected, reads_as_declared
from conformance.checks.robustness import never_raises
from conformance.checks.timeliness import released_at_once, released_in_time
from conformance.observation import Finding, Observation

OBSERVED: dict[str, Callable[[Observation], Finding | None]] = {
    "streamed-equals-split": streamed_equals_split,
    "whitespace-agrees": whitespace_agrees,
    "chunks-do-not-matter": chunks_do_not_matter,
    "nothing-lost": nothing_lost,
    "markers-do-not-leak": markers_do_not_leak,
    "order-kept": order_kept,
    "released-in-time": released_in_time,
    "released-at-once": released_at_once,
    "never-raises": never_raises,
    "finish-respected": finish_respected,
    "surfaces-agree": surfaces_agree,
    "reads-as-declared": reads_as_declared,
}
"""The checks that look at one observation. The others ask the implementation in ways of their own."""

__all__ = ["CHECKS", "OBSERVED", "Check"]
