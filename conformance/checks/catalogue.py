"""The checks by id: level and requirement (DESIGN section 6)."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.verdicts import Level


@dataclass(frozen=True, slots=True)
class Check:
    """A check's id, its level, its requirement sentence, and the short head of its column in a summary."""

    id: str
    level: Level
    requires: str
    head: str


CHECKS: dict[str, Check] = {
    check.id: check
    for check in (
        Check("streamed-equals-split", "must", "Each channel of a stream, put together, equals the split's.", "split"),
        Check("whitespace-agrees", "must", "White space at a channel's ends is the same in stream and split.", "space"),
        Check("chunks-do-not-matter", "must", "Every chunking gives the same message.", "chunk"),
        Check("nothing-lost", "must", "Every word arrives, once, in order.", "lost"),
        Check("markers-do-not-leak", "must", "A marker that carries no text reaches no channel.", "leak"),
        Check("order-kept", "must", "Deltas follow the order of the output, across channels.", "order"),
        Check(
            "released-in-time", "must", "Held text is never more than the longest marker less one character.", "time"
        ),
        Check("released-at-once", "should", "Nothing is held that can no longer become a marker.", "once"),
        Check(
            "requests-isolated", "must", "Requests read like fresh ones, whatever runs beside or ran before.", "isol"
        ),
        Check("never-raises", "must", "No text and no chunking makes a call raise, hang or answer malformed.", "raise"),
        Check("finish-respected", "must", "The finish reason changes nothing but what the rules say.", "finish"),
        Check("cost-linear", "must", "Time and memory grow at most linearly with the output.", "cost"),
        Check("memory-bounded", "should", "No more text is kept than the policy must keep.", "memory"),
        Check("surfaces-agree", "must", "Every surface gives the same message.", "surf"),
        Check("reads-as-declared", "must", "The message is the one that the declared policy gives.", "reads"),
    )
}
"""Check id to check, in the order in which they are shown."""
