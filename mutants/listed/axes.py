"""Mutants that break what one policy axis says, by a patch of the specified reader's source."""

from __future__ import annotations

from mutants.mutant import Mutant, mutant, patch
from mutants.patching import Patch

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "moved-leaves-cut-marker",
        "reads-as-declared",
        "hunyuan_a13b",
        "Under `skipped_channel: moved` the cut marker at the end stays reasoning.",
        reads={"skipped_channel": "moved"},
        patches=patch(
            '_put(out, "content", text + cut)', ('_put(out, "content", text)\n            _put(out, "reasoning", cut)')
        ),
    ),
    mutant(
        "moved-also-stays",
        "nothing-lost",
        "hunyuan_a13b",
        "Under `skipped_channel: moved` the channel's text is reasoning as well.",
        reads={"skipped_channel": "moved"},
        patches=patch(
            '_put(out, "content", text + cut)',
            ('_put(out, "reasoning", text)\n            _put(out, "content", text + cut)'),
        ),
    ),
    mutant(
        "unclosed-after-reopen",
        "reads-as-declared",
        "qwen3",
        "Under `unclosed: content_if_stopped` a later block that stays open is content too.",
        reads={"unclosed": "content_if_stopped", "reopen": "opens"},
        patches=patch(
            'unclosed = policy.unclosed == "content_if_stopped" and not self._closed',
            ('unclosed = policy.unclosed == "content_if_stopped"\n            self._closed = False'),
        ),
    ),
    mutant(
        "unclosed-loses-cut-marker",
        "reads-as-declared",
        "qwen3",
        "Under `unclosed: content_if_stopped` the cut marker at the end stays reasoning.",
        reads={"unclosed": "content_if_stopped"},
        patches=patch(
            ("self._kept_text() + cut)\n        else"),
            ('self._kept_text())\n            _put(out, "reasoning", cut)\n        else'),
        ),
    ),
    mutant(
        "unclosed-at-length-too",
        "reads-as-declared",
        "qwen3",
        "Under `unclosed: content_if_stopped` finish length makes open reasoning content too.",
        reads={"unclosed": "content_if_stopped"},
        patches=patch(
            'policy.unclosed == "content_if_stopped" and stopped and not self._closed',
            'policy.unclosed == "content_if_stopped" and not self._closed',
        ),
    ),
    mutant(
        "reopened-replay-grows",
        "reads-as-declared",
        "hunyuan_a13b",
        "Under `reopen: opens` a replay holds the text of every block.",
        reads={"skipped_channel": "replayed", "reopen": "opens"},
        patches=patch(
            "self._kept = [] if keeps else None",
            "self._kept = (getattr(self, '_kept', None) or []) if keeps else (getattr(self, '_kept', None))",
        ),
    ),
    mutant(
        "reopen-once",
        "reads-as-declared",
        "qwen3",
        "Under `reopen: opens` reasoning opens again without the words before the opener being content.",
        reads={"reopen": "opens"},
        patches=patch(
            (
                '            ("reasoning_open", OPEN if policy.reopen == "opens" else None),\n'
                '            ("reasoning_close", DROP if'
            ),
            (
                '            ("reasoning_open", DROP if policy.reopen == "opens" else None),\n'
                '            ("reasoning_close", DROP if'
            ),
            "watch",
        ),
    ),
    mutant(
        "prefix-text-blank-counts",
        "reads-as-declared",
        "qwen3",
        "Under `prefix: text` an opener behind words opens all the same.",
        reads={"prefix": "text"},
        patches=patch('OPEN if first or policy.prefix == "content" else None', "OPEN", "watch"),
    ),
    mutant(
        "stray-closer-kept-after",
        "reads-as-declared",
        "qwen3",
        "Under `stray_close: dropped` a closer in the answer is text.",
        reads={"stray_close": "dropped"},
        patches=patch(
            '("reasoning_close", DROP if policy.stray_close == "dropped" else None)',
            '("reasoning_close", None)',
            "watch",
        ),
    ),
    mutant(
        "thought-ended-twice",
        "reads-as-declared",
        "qwen3",
        "Under `stray_close: ends_thought` a closer in the answer is dropped.",
        reads={"stray_close": "ends_thought"},
        patches=patch(
            'DROP if policy.stray_close == "dropped" else None',
            'None if policy.stray_close == "text" else DROP',
            "watch",
        ),
    ),
    mutant(
        "thought-ended-behind-calls",
        "reads-as-declared",
        "qwen3",
        "Under `stray_close: ends_thought` text behind a calls region is held for a closer.",
        reads={"stray_close": "ends_thought"},
        patches=patch(
            "self._holds = keeps = state == BEFORE and ends_thought",
            "self._holds = keeps = state in (BEFORE, CALLS) and ends_thought",
        ),
    ),
    mutant(
        "echo-dropped-always",
        "reads-as-declared",
        "qwen3",
        "Under `echoed_open: dropped_first` a later opener is dropped too.",
        reads={"echoed_open": "dropped_first"},
        patches=patch(
            'policy.echoed_open == "dropped" or (policy.echoed_open == "dropped_first" and first)',
            'policy.echoed_open != "text"',
            "watch",
        ),
    ),
    mutant(
        "echo-dropped-first-only",
        "reads-as-declared",
        "qwen3",
        "Under `echoed_open: dropped` an opener behind words is text.",
        reads={"echoed_open": "dropped"},
        patches=patch(
            'policy.echoed_open == "dropped" or (policy.echoed_open == "dropped_first" and first)',
            'policy.echoed_open != "text" and first',
            "watch",
        ),
    ),
    mutant(
        "calls-hide-closer",
        "reads-as-declared",
        "qwen3",
        "Under `calls_end_reasoning: false` a calls region inside reasoning hides the closer in it.",
        reads={"calls_end_reasoning": False},
        patches=patch('("calls_open", CALL if policy.calls_end_reasoning else None)', '("calls_open", CALL)', "watch"),
    ),
    mutant(
        "off-watches-nothing",
        "reads-as-declared",
        "hunyuan_a13b",
        "Under `off: text` no marker is watched where thinking is off, answer markers neither.",
        reads={"skipped_channel": "replayed", "off": "text"},
        patches=patch(
            'rule[0] not in ("reasoning_open", "reasoning_close")', 'rule[0] in ("calls_open", "calls_close")', "watch"
        ),
    ),
    mutant(
        "off-though-opened",
        "reads-as-declared",
        "qwen3",
        "Under `off: text` the closer is text also where the prompt opened reasoning.",
        reads={"off": "text"},
        patches=patch("self._off = not request.thinking and not request.opened", "self._off = not request.thinking"),
    ),
    mutant(
        "off-keeps-closer",
        "reads-as-declared",
        "qwen3",
        "Under `off: text` a closer is still read as declining to think.",
        reads={"off": "text"},
        patches=patch('rule[0] not in ("reasoning_open", "reasoning_close")', 'rule[0] != "reasoning_open"', "watch"),
    ),
    mutant(
        "late-thought-lost",
        "nothing-lost",
        "qwen3",
        "A thought that begins behind words is in no channel; `prefix` is not declared.",
        declares=None,
        patches=patch(
            "        self._enter({OPEN: INSIDE, CALL: CALLS}.get(action, AFTER))\n",
            (
                "        behind = action is OPEN and not self._watch.first\n"
                "        self._enter({OPEN: INSIDE, CALL: CALLS}.get(action, AFTER))\n"
                "        if behind:\n"
                "            self._holds, self._kept = True, None\n"
            ),
        ),
    ),
    mutant(
        "late-thought-leaks-framing",
        "markers-do-not-leak",
        "kimi_k3",
        "In a thought that begins behind words framing is text; `prefix` is not declared.",
        declares=None,
        patches=(
            Patch('        "cut",\n', ('        "behind",\n        "cut",\n')),
            Patch('        self.cut = ""\n', ('        self.cut = ""\n        self.behind = False\n')),
            Patch(
                "        self._enter({OPEN: INSIDE, CALL: CALLS}.get(action, AFTER))\n",
                (
                    "        self.behind = action is OPEN and not self._watch.first\n"
                    "        self._enter({OPEN: INSIDE, CALL: CALLS}.get(action, AFTER))\n"
                ),
            ),
            Patch(
                "                if action is DROP:\n",
                (
                    "                if action is DROP and self.behind:\n"
                    "                    continue\n"
                    "                if action is DROP:\n"
                ),
            ),
        ),
    ),
)
