"""Mutants that break one rule of SEMANTICS.md each, by a patch of the specified reader's source."""

from __future__ import annotations

from mutants.mutant import Mutant, mutant, patch
from mutants.patching import Patch

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "calls-close-returns-before",
        "reads-as-declared",
        "qwen3",
        "Behind a calls region reasoning may begin as though no words had come.",
        patches=patch("{OPEN: INSIDE, CALL: CALLS}", '{OPEN: INSIDE, CALL: CALLS, "call_end": BEFORE}'),
    ),
    mutant(
        "answer-opener-returns-before",
        "reads-as-declared",
        "hunyuan_a13b",
        "An answer opener before reasoning leaves reasoning open to begin.",
        patches=patch(
            ('("answer_open", AFTERWARDS),\n            ("answer_close", DROP)'),
            ('("answer_open", DROP),\n            ("answer_close", DROP)'),
            "watch",
        ),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "answer-opener-inside-dropped",
        "reads-as-declared",
        "hunyuan_a13b",
        "An answer opener inside reasoning is dropped and ends nothing.",
        patches=patch(
            ('("answer_open", AFTERWARDS),\n            ("answer_close", REMEMBER)'),
            ('("answer_open", DROP),\n            ("answer_close", REMEMBER)'),
            "watch",
        ),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "answer-closer-ends-thought",
        "reads-as-declared",
        "hunyuan_a13b",
        "An answer closer inside reasoning ends it.",
        patches=patch('("answer_close", REMEMBER)', '("answer_close", AFTERWARDS)', "watch"),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "answer-closer-before-ends",
        "reads-as-declared",
        "hunyuan_a13b",
        "An answer closer before reasoning ends the answer for good.",
        patches=patch(
            (
                '("answer_close", DROP),\n'
                '            ("calls_open", CALL),\n'
                '            ("framing", DROP),\n'
                "        ]\n"
                "    elif state == INSIDE"
            ),
            (
                '("answer_close", AFTERWARDS),\n'
                '            ("calls_open", CALL),\n'
                '            ("framing", DROP),\n'
                "        ]\n"
                "    elif state == INSIDE"
            ),
            "watch",
        ),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "calls-opener-dropped",
        "reads-as-declared",
        "qwen3",
        "A calls opener is dropped, the region stays.",
        patches=patch("begin = start if action is CALL else end", "begin = end"),
    ),
    mutant(
        "calls-closer-dropped",
        "reads-as-declared",
        "qwen3",
        "A calls closer is dropped.",
        patches=patch(
            (
                "                if action is not CALL_END:\n"
                "                    parts.append(text[begin:start])\n"
                "                    begin = start if action is CALL else end"
            ),
            (
                "                parts.append(text[begin:start])\n"
                "                begin = start if action is CALL else end"
            ),
        ),
    ),
    mutant(
        "calls-closer-outside-dropped",
        "reads-as-declared",
        "qwen3",
        "A calls closer outside a region is dropped.",
        patches=patch(
            ('("calls_open", CALL),\n            ("framing", DROP),\n        ]\n    else:'),
            (
                '("calls_open", CALL),\n'
                '            ("calls_close", DROP),\n'
                '            ("framing", DROP),\n'
                "        ]\n"
                "    else:"
            ),
            "watch",
        ),
    ),
    mutant(
        "call-inside-thought-is-text",
        "reads-as-declared",
        "qwen3",
        "A calls opener inside open reasoning is text.",
        patches=patch("CALL if policy.calls_end_reasoning else None", "None", "watch"),
    ),
    mutant(
        "leftmost-role",
        "reads-as-declared",
        "gpt_oss",
        "Of a marker with several roles the last counts.",
        patches=patch("actions.setdefault(marker, action)", "actions[marker] = action", "watch"),
    ),
    mutant(
        "any-case",
        "reads-as-declared",
        "qwen3",
        "A marker in capitals is a marker too.",
        patches=(
            Patch("or _NOTHING).finditer", "or _NOTHING, re.I).finditer", "watch"),
            Patch("actions.get(match.group())", "actions.get(match.group().lower())"),
        ),
    ),
    mutant(
        "no-rescan",
        "reads-as-declared",
        "qwen3",
        "Of what was held and came to nothing only the first beginning is looked at again.",
        patches=patch(
            "near = length - self.reach",
            "near = max(length - self.reach, text.rfind('<', start) if text.count('<', start) < 2 else length)",
            "watch",
        ),
    ),
    mutant(
        "holds-eight",
        "chunks-do-not-matter",
        "hunyuan_a13b",
        "At most eight characters of a marker are held.",
        patches=patch(
            "reach=max(map(len, markers), default=1) - 1",
            "reach=min(8, max(map(len, markers), default=1) - 1)",
            "watch",
        ),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "replay-of-4097",
        "released-in-time",
        "hunyuan_a13b",
        "A replay comes in pieces of 4,097 characters.",
        patches=patch("PIECE = 4096", "PIECE = 4097"),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "replay-loses-remainder",
        "reads-as-declared",
        "hunyuan_a13b",
        "A replay loses what follows its last whole piece of 4,096 characters.",
        patches=patch(
            "for start in range(0, len(text), PIECE):", "for start in range(0, max(1, len(text) - 1), PIECE):"
        ),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "replay-once-cancelled-never",
        "reads-as-declared",
        "hunyuan_a13b",
        "Words behind an answer closer cancel it for good: a later closer doesn't start anew.",
        patches=patch(
            ("        if self._skippable and text.strip(WHITE_SPACE):\n            self._skippable = False"),
            (
                "        if self._skippable and text.strip(WHITE_SPACE):\n"
                "            self._skippable = False\n"
                "            self._machine = Machine(self._machine.dialect, self._machine.policy)\n"
                "            self._machine.skips = 'stays'"
            ),
        ),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "replay-without-space",
        "reads-as-declared",
        "hunyuan_a13b",
        "White space behind the answer's closer is left out of the replay.",
        patches=patch(
            ("        if self._kept is not None:\n            self._kept.append(text)"),
            (
                "        if self._kept is not None and not (self._skippable and text.isspace()):\n"
                "            self._kept.append(text)"
            ),
        ),
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "declined-moves-nothing",
        "reads-as-declared",
        "qwen3",
        "A closer among the first words is dropped, and an opener may still come.",
        patches=patch(
            'AFTERWARDS if first and policy.declined == "dropped" else stray',
            'DROP if first and policy.declined == "dropped" else stray',
            "watch",
        ),
    ),
    mutant(
        "reopens-in-both",
        "reads-as-declared",
        "qwen3",
        "An opener after the close enters reasoning again, in both modes, against what is declared.",
        "vLLM, FreeToken at 0ab982f1",
        patches=patch('OPEN if policy.reopen == "opens" else None', "OPEN", "watch"),
    ),
    mutant(
        "framing-splits-thought",
        "reads-as-declared",
        "gpt_oss",
        "Framing inside a thought ends it.",
        patches=patch(
            ('("calls_open", CALL if policy.calls_end_reasoning else None),\n            ("framing", DROP)'),
            ('("calls_open", CALL if policy.calls_end_reasoning else None),\n            ("framing", AFTERWARDS)'),
            "watch",
        ),
    ),
    mutant(
        "framing-is-words",
        "reads-as-declared",
        "kimi_k3",
        "Framing before a closer counts as words: the closer no longer declines to think.",
        patches=patch(
            "                if action is DROP:\n",
            (
                "                if action is DROP:\n"
                "                    self._watch = self._machine.watch(self._off, self._state, False)\n"
            ),
        ),
    ),
    mutant(
        "foreign-tag-eaten",
        "reads-as-declared",
        "kimi_k3",
        "Another dialect's reasoning tag is dropped wherever it stands.",
        "vLLM 50303",
        patches=patch(
            ("        if text:\n            self._say(text, out)\n\n    def _say"),
            (
                "        text = text.replace('<think>', '')\n"
                "        if text:\n"
                "            self._say(text, out)\n"
                "\n"
                "    def _say"
            ),
        ),
    ),
    mutant(
        "look-alike-eaten",
        "reads-as-declared",
        "qwen3",
        "A tag that only begins like a marker is eaten.",
        patches=patch(
            "            start, end = match.span()" if False else "                start, end = match.span()",
            (
                "                start, end = match.span()\n"
                "                if text[max(0, start - 1) : start] == '<':\n"
                "                    start -= 1"
            ),
        ),
    ),
    mutant(
        "form-feed-is-words",
        "reads-as-declared",
        "qwen3",
        "A form feed or a vertical tab counts as words.",
        patches=patch(
            'words = [f"[^{WHITE_SPACE}]"] if first else []', 'words = [r"[^ \\t\\r\\n]"] if first else []', "watch"
        ),
    ),
)
