"""Every rule of SEMANTICS.md sections 2 to 5, by example, of both readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from oracles import reader, second
from oracles.dialects import Dialect
from oracles.messages import Finish, Message, Request
from oracles.policies import DEFAULT, Policy


def dialect(id: str, **markers: tuple[str, ...]) -> Dialect:
    return Dialect(id=id, title=id, markers=markers)


TAGS = dialect(
    "tags",
    reasoning_open=("<think>",),
    reasoning_close=("</think>",),
    calls_open=("<call>",),
    calls_close=("</call>",),
)
TO, TC = "<|open|>think<|sep|>", "<|close|>think<|sep|>"
AO, AC = "<|open|>response<|sep|>", "<|close|>response<|sep|>"
CO, CC = "<|open|>tools<|sep|>", "<|close|>tools<|sep|>"
MC, EOM = "<|close|>message<|sep|>", "<|end_of_msg|>"
KIMI = dialect(
    "kimi",
    reasoning_open=(TO,),
    reasoning_close=(TC,),
    answer_open=(AO,),
    answer_close=(AC,),
    calls_open=(CO,),
    calls_close=(CC,),
    framing=(MC, EOM),
)
START, THOUGHT, FINAL = "<|start|>assistant", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"
END = "<|end|>"
HARMONY = dialect(
    "harmony",
    reasoning_open=(THOUGHT, START + THOUGHT),
    reasoning_close=(END,),
    answer_open=(FINAL, START + FINAL),
    calls_open=("<|channel|>commentary to=",),
    calls_close=("<|call|>",),
    framing=(START, END, "<|return|>"),
)
LINES = dialect(
    "lines",
    reasoning_open=("\n<think>\n", "<think>"),
    reasoning_close=("\n</think>\n\n", "</think>"),
    calls_open=("\n[CALLS]",),
)
NESTED = dialect(
    "nested",
    reasoning_open=("<r>", "<r>again"),
    reasoning_close=("</r",),
    answer_open=("</r>a", "[[go]]!"),
    answer_close=("[go]",),
    calls_open=("{", "[[{go"),
    calls_close=("}",),
)
SHORT = dialect("short", reasoning_open=("<r>",), reasoning_close=("</r", "</r>x</r>z"))


@dataclass(frozen=True)
class Row:
    """An output of a dialect, and the rule that reads it: ``fact``."""

    fact: str
    dialect: Dialect
    raw: str
    reasoning: str
    content: str
    opened: bool
    thinking: bool
    finish: Finish
    policy: Policy

    @property
    def request(self) -> Request:
        return Request(self.dialect.id, self.opened, self.thinking)


ROWS: list[Row] = []


def reads(
    fact: str,
    dialect: Dialect,
    raw: str,
    reasoning: str,
    content: str,
    opened: bool = False,
    thinking: bool = True,
    finish: Finish = "stop",
    **policy: str | bool,
) -> None:
    values = DEFAULT.with_values(policy)
    ROWS.append(Row(fact, dialect, raw, reasoning, content, opened, thinking, finish, values))


def inside(fact: str, dialect: Dialect, raw: str, reasoning: str, content: str, **given: Any) -> None:
    """As ``reads``, in a channel that the prompt opened."""
    reads(fact, dialect, raw, reasoning, content, opened=True, **given)


def replayed(fact: str, raw: str, reasoning: str, content: str, **given: Any) -> None:
    """As ``inside``, of the dialect and the policy that skipped channels come from."""
    inside(fact, KIMI, raw, reasoning, content, **{"skipped_channel": "replayed", **given})


# Section 1: what is known beforehand
reads("1 unopened: plain text is content", TAGS, "a", "", "a")
inside("1 opened: plain text is reasoning", TAGS, "a", "a", "")
reads("1 an empty output is an empty message", TAGS, "", "", "")
inside("1 an empty output of an opened channel too", TAGS, "", "", "")
inside("1 opened though the caller asked for no reasoning", TAGS, "t</think>a", "t", "a", thinking=False)
reads("1 thinking off alone changes nothing", TAGS, "<think>t</think>a", "t", "a", thinking=False)

# Section 2: roles
inside("2 a role may hold several markers: the first", LINES, "t\n</think>\n\na", "t", "a")
inside("2 a role may hold several markers: the second", LINES, "t</think>a", "t", "a")
inside("2 end closes reasoning, then is framing", HARMONY, f"t{END}a{END}b", "t", "ab")
reads("2 end before words declines", HARMONY, f"{END}{THOUGHT}a", "", f"{THOUGHT}a")
reads("2 end after words is framing, for a stray closer is text", HARMONY, f"a{END}b", "", "ab")
reads("2 end before words is framing where declined is text", HARMONY, f"{END}{THOUGHT}t", "t", "", declined="text")
reads("2 end after words can end a thought", HARMONY, f"a{END}b", "a", "b", stray_close="ends_thought")
reads("2 end is framing where off is text", HARMONY, f"{END}a", "", "a", thinking=False, off="text")
reads("2 a region is never searched", TAGS, "<call><think></think>x</call>a", "", "<call><think></think>x</call>a")
reads("2 regions don't nest", TAGS, "<call><call></call><think>t", "", "<call><call></call><think>t")
reads("2 without calls_close a region has no end", LINES, "\n[CALLS]a<think>b", "", "\n[CALLS]a<think>b")

# Section 3: matching
inside("3 leftmost counts", KIMI, f"a{AO}b{TC}c", "a", f"b{TC}c")
reads("3 at one place the longest wins", HARMONY, f"{START}{FINAL}a", "", "a")
inside("3 the longer closer takes its newlines with it", LINES, "t\n</think>\n\n\na", "t", "\na")
inside("3 text before a marker is released", TAGS, "a < b </ c</think>d", "a < b </ c", "d")
reads("3 the search goes on with the new state's set", TAGS, "<think></think></think>a", "", "</think>a")
inside("3 a prefix of a longer marker waits: longer", NESTED, "t</r>ab", "t", "b")
inside("3 a prefix of a longer marker waits: ruled out", NESTED, "t</r>b", "t", ">b")
inside("3 an unwatched longer marker is no obstacle", HARMONY, f"t{START}{THOUGHT}u", f"t{THOUGHT}u", "")
inside("3 dropped neighbours may join into a marker", TAGS, "</th</think>ink>", "</th", "ink>")
reads("3 what joined is not read again", TAGS, "</th<think>r</think>ink>", "r", "</think>")
reads("3 case counts", TAGS, "<Think>a", "", "<Think>a")
reads("3 a marker may follow its own first characters", TAGS, "<<think>t<</think>a", "t<", "<a")
reads("3 any text is read", TAGS, "\ud800\x00\r\n\ufeff<think>e\u0301", "e\u0301", "\ud800\x00\r\n\ufeff")
reads("3 a marker across 4096", TAGS, "a" * 4092 + "<think>" + "b" * 5000, "b" * 5000, "a" * 4092)

# Section 4: BEFORE
reads("4 BEFORE opener opens", TAGS, "<think>t</think>a", "t", "a")
reads("4 BEFORE white space before an opener is content", TAGS, " \n<think>\nt\n</think>\na ", "\nt\n", " \n\na ")
reads("4 BEFORE closer first declines", TAGS, "</think>a<think>b", "", "a<think>b")
reads("4 BEFORE closer after white space declines", TAGS, " \t\n\r\v\f</think>a", "", " \t\n\r\v\fa")
reads("4 BEFORE closer after dropped markers declines", KIMI, f"{MC} {AC}{TC}{TO}a", "", f" {TO}a")
reads("4 BEFORE closer after words is text", TAGS, "a</think>b<think>t", "t", "a</think>b")
reads("4 BEFORE answer opener is dropped", KIMI, f"{AO}a{TO}b", "", f"a{TO}b")
reads("4 BEFORE answer closer is dropped, still BEFORE", KIMI, f"a{AC}b{TO}t", "t", "ab")
reads("4 BEFORE calls opener is kept", KIMI, f"{CO}x{CC}{EOM}", "", f"{CO}x{CC}")
reads("4 BEFORE calls closer is text", TAGS, "</call>a", "", "</call>a")
reads("4 BEFORE a marker that is text is words", TAGS, "</call></think>a", "", "</call></think>a")
reads("4 BEFORE framing is dropped, still BEFORE", KIMI, f"a{MC}b{TO}t", "t", "ab")
reads("4 BEFORE a calls region before a closer", TAGS, "<call>x</call></think>", "", "<call>x</call></think>")
# Section 4: INSIDE
inside("4 INSIDE opener is text", TAGS, "<think>t</think>a", "<think>t", "a")
inside("4 INSIDE closer closes", TAGS, "</think>a</think>", "", "a</think>")
inside("4 INSIDE answer opener ends reasoning", KIMI, f"t{AO}a", "t", "a")
inside("4 INSIDE answer closer is dropped", KIMI, f"t{AC}u{TC}a", "tu", "a")
inside("4 INSIDE calls opener ends reasoning", TAGS, "t<call>x</call>a</think>", "t", "<call>x</call>a</think>")
inside("4 INSIDE calls closer is text", TAGS, "t</call>u", "t</call>u", "")
inside("4 INSIDE framing is dropped: one block", KIMI, f"t{MC}u{EOM}{TC}a", "tu", "a")
# Section 4: AFTER
inside("4 AFTER opener is text", TAGS, "t</think>a<think>b</think>", "t", "a<think>b</think>")
inside("4 AFTER closer is text", TAGS, "t</think>a</think>b", "t", "a</think>b")
inside("4 AFTER answer opener is dropped", KIMI, f"t{TC} {AO}a{AO}b", "t", " ab")
inside("4 AFTER answer closer is dropped", KIMI, f"t{TC}a{AC}b", "t", "ab")
inside("4 AFTER calls opener is kept", KIMI, f"t{TC}a{CO}{TO}{AC}{MC}{CC}{EOM}b", "t", f"a{CO}{TO}{AC}{MC}{CC}b")
inside("4 AFTER calls closer is text", TAGS, "</think></call>a", "", "</call>a")
inside("4 AFTER framing is dropped", KIMI, f"{TC}a{MC}b{EOM}", "", "ab")
reads("4 AFTER a region, a first opener is text", TAGS, "<call></call><think>a", "", "<call></call><think>a")
# Section 4: CALLS
EVERY = CO + TO + TC + AO + AC + CO + MC + CC
reads("4 CALLS every other marker is text", KIMI, EVERY, "", EVERY)
reads("4 CALLS closer ends the region", KIMI, f"{CO}{MC}{CC}{MC}a", "", f"{CO}{MC}{CC}a")
reads("4 CALLS a second region", TAGS, "<call>1</call> <call>2</call>a", "", "<call>1</call> <call>2</call>a")
reads("4 CALLS never closed", TAGS, "a<call>1</cal", "", "a<call>1</cal")

# Section 4: end of output
reads("4 end: a cut marker in BEFORE is content", TAGS, "a<thin", "", "a<thin")
inside("4 end: a cut marker in INSIDE is reasoning", TAGS, "t</thin", "t</thin", "")
inside("4 end: a cut marker in AFTER is content", KIMI, f"t{TC}a{AC[:-1]}", "t", f"a{AC[:-1]}")
inside("4 end: held white space is released", LINES, "t\n", "t\n", "")
inside("4 end: a marker that waited takes effect", NESTED, "t</r", "t", "")
inside("4 end: and the rest of what it waited for is text after it", NESTED, "t</r>", "t", ">")
inside("4 end: what is left is judged in the new state", SHORT, "t</r>x</r>", "t", ">x</r>")
inside("4 end: framing that waited is dropped", HARMONY, f"t{START}", "t", "")
inside("4 end: a marker inside a longer beginning takes effect", NESTED, "t[[{g", "t[[", "{g")
reads("4 end: a region that waited is entered", NESTED, "a[[{g", "", "a[[{g")
reads("4 end: an opener that waited opens", NESTED, "a<r>aga", "aga", "a")

# Section 4: skipped channel
replayed("4 skipped: closer last", f"Reply.{AC}", "Reply.", "Reply.")
replayed("4 skipped: closer, message closer", f"Reply.{AC}{MC}", "Reply.", "Reply.")
replayed("4 skipped: white space after the closer is in the replay", f"R{AC}\n", "R\n", "R\n")
replayed("4 skipped: white space and framing", f"R{AC}\n{MC} {EOM}", "R\n ", "R\n ")
replayed("4 skipped: a cut marker is neither words nor replayed", f"Re.{AC}<|close|>mes", "Re.<|close|>mes", "Re.")
replayed("4 skipped: words cancel", f"closes with {AC} so{TC}{AO}ok", "closes with  so", "ok")
replayed("4 skipped: words cancel at the end too", f"closes with {AC} so", "closes with  so", "")
replayed("4 skipped: a later closer starts anew", f"a{AC}b{AC}", "ab", "ab")
replayed("4 skipped: several closers", f"a{AC}{AC}", "a", "a")
replayed("4 skipped: a marker that is text cancels", f"a{AC}{TO}", f"a{TO}", "")
replayed("4 skipped: exit through the closer", f"draft{AC}{TC}{AO}final{AC}", "draft", "final")
replayed("4 skipped: exit through the answer opener", f"draft{AC}{AO}final", "draft", "final")
replayed("4 skipped: exit through the closer alone", f"draft{AC}{TC}", "draft", "")
replayed("4 skipped: length replays nothing", f"I will end with {AC}\n", "I will end with \n", "", finish="length")
replayed("4 skipped: calls at once", f"R{AC}{CO}x{CC}", "R", f"R{CO}x{CC}")
replayed("4 skipped: calls, whatever the finish", f"R{AC} {CO}x", "R ", f"R {CO}x", finish="length")
replayed("4 skipped: words before the calls cancel", f"R{AC}u{CO}x", "Ru", f"{CO}x")
replayed("4 skipped: an empty channel", AC, "", "")
replayed("4 skipped: a blank channel", f" \n{AC}", " \n", " \n")
replayed("4 skipped: a blank channel without a closer is none", " \n", " \n", "")
replayed("4 skipped: only six characters are white space", f"R{AC}\u00a0", "R\u00a0", "")
replayed("4 skipped: a long channel is replayed whole", "r" * 9000 + AC, "r" * 9000, "r" * 9000)
replayed("4 skipped: an answer after it is read once", f"R{TC}{AO}a{AC}", "R", "a")
replayed("4 skipped: replay before unclosed", f"R{AC}", "R", "R", unclosed="content_if_stopped")
replayed("4 skipped: an echoed opener that is dropped is no word", f"a{AC}{TO}", "a", "a", echoed_open="dropped")
replayed("4 skipped: calls that are text cancel", f"a{AC}{CO}", f"a{CO}", "", calls_end_reasoning=False)
reads("4 skipped: self-opened too", KIMI, f"p{TO}R{AC}", "R", "pR", skipped_channel="replayed")
reads("4 skipped: not before reasoning", KIMI, f"R{AC}", "", "R", skipped_channel="replayed")
inside("4 skipped: a closer that waited, and a cut rest", NESTED, "t[[go]]", "t[]", "t[", skipped_channel="replayed")
inside("4 skipped: words held before it count", NESTED, "t[go][[{g", "t[[", "{g", skipped_channel="replayed")
inside("4 skipped: none without answer_close", TAGS, "t", "t", "", skipped_channel="replayed")
reads(
    "4 skipped: the block that ended, no more",
    KIMI, f"{TO}1{TC}a{TO}2{AC}{CO}x{CC}b{TO}3{AC}", "123", f"a2{CO}x{CC}b3",
    skipped_channel="replayed", reopen="opens",
)  # fmt: skip

# Section 5: policy
inside("5 reopen opens", TAGS, "t</think>a<think>u</think>b", "tu", "ab", reopen="opens")
reads("5 reopen opens after a declined thought", TAGS, "</think>a<think>t", "t", "a", reopen="opens")
reads("5 reopen opens after a region", TAGS, "<call></call><think>t", "t", "<call></call>", reopen="opens")
reads("5 prefix content", TAGS, "a<think>t</think>b", "t", "ab", prefix="content")
reads("5 prefix text", TAGS, "a<think>t</think>b", "", "a<think>t</think>b", prefix="text")
reads("5 prefix text: no words yet", KIMI, f"\n{MC}{TO}t{TC}b", "t", "\nb", prefix="text")
reads("5 prefix text: newline markers by where they start", LINES, "\n<think>\nt", "t", "", prefix="text")
reads("5 prefix text: a newline after words", LINES, "a\n<think>\nt", "", "a\n<think>\nt", prefix="text")
reads("5 stray_close dropped in BEFORE", TAGS, "a</think>b<think>t", "t", "ab", stray_close="dropped")
inside("5 stray_close dropped in AFTER", TAGS, "t</think>a</think>b", "t", "ab", stray_close="dropped")
reads("5 stray_close ends_thought", TAGS, "t</think>a", "t", "a", thinking=False, stray_close="ends_thought")
reads("5 stray_close ends_thought: from the start", KIMI, f" {MC}t{AC}u{TC}a", " tu", "a", stray_close="ends_thought")
reads("5 stray_close ends_thought: without a closer", TAGS, "a</thi", "", "a</thi", stray_close="ends_thought")
reads("5 stray_close ends_thought: after an opener", TAGS, "a<think>t</think>b", "t", "ab", stray_close="ends_thought")
reads("5 stray_close ends_thought: markers that are text go along", TAGS, "</call></think>a", "</call>", "a",
      stray_close="ends_thought")  # fmt: skip
reads("5 stray_close ends_thought: not after a region", TAGS, "a<call></call></think>", "", "a<call></call></think>",
      stray_close="ends_thought")  # fmt: skip
inside("5 stray_close ends_thought in AFTER", TAGS, "</think>a</think>b", "", "a</think>b", stray_close="ends_thought")
reads("5 declined before stray_close", TAGS, "</think>a</think>b", "", "a</think>b", stray_close="ends_thought")
reads("5 declined text", TAGS, " </think>a<think>t", "t", " </think>a", declined="text")
reads("5 declined text is words", TAGS, "</think><think>t", "", "</think><think>t", declined="text", prefix="text")
reads("5 declined text under dropped", TAGS, "</think>a<think>t", "t", "a", declined="text", stray_close="dropped")
reads("5 declined text under ends_thought", TAGS, " </think>a<think>", " ", "a<think>", declined="text",
      stray_close="ends_thought")  # fmt: skip
inside("5 echoed_open dropped_first", TAGS, "\n<think>t<think>u", "\nt<think>u", "", echoed_open="dropped_first")
reads("5 echoed_open dropped_first: of this block", TAGS, "<think>t</think><think><think>u", "tu", "",
      echoed_open="dropped_first", reopen="opens")  # fmt: skip
inside("5 echoed_open dropped_first: a text marker is words", TAGS, "</call><think>t", "</call><think>t", "",
       echoed_open="dropped_first")  # fmt: skip
inside("5 echoed_open dropped", TAGS, "<think>t<think>u</think>a<think>", "tu", "a<think>", echoed_open="dropped")
inside("5 calls in a thought", TAGS, "t<call>x</call>u</think>a", "t<call>x</call>u", "a", calls_end_reasoning=False)
inside("5 calls in a thought: markers in it act", TAGS, "<call></think>x</call>", "<call>", "x</call>",
       calls_end_reasoning=False)  # fmt: skip
inside("5 skipped_channel stays", KIMI, f"R{AC}", "R", "")
inside("5 skipped_channel stays at calls", KIMI, f"R{AC}{CO}x", "R", f"{CO}x")
inside("5 skipped_channel stays at calls, held", KIMI, f"R{AC}{CO}x", "R", f"{CO}x", unclosed="content_if_stopped")
inside("5 skipped_channel stays, unclosed decides", KIMI, f"R{AC}", "", "R", unclosed="content_if_stopped")
inside("5 skipped_channel moved", KIMI, f"R{AC}\n{MC}", "", "R\n", skipped_channel="moved")
inside("5 skipped_channel moved, the cut with it", KIMI, f"R{AC}<|clo", "", "R<|clo", skipped_channel="moved")
inside("5 skipped_channel moved at calls", KIMI, f"R{AC}{CO}x", "", f"R{CO}x", skipped_channel="moved")
inside("5 skipped_channel moved, not gone past", KIMI, f"R{AC}s", "Rs", "", skipped_channel="moved")
inside("5 skipped_channel moved, not at length", KIMI, f"R{AC}", "R", "", skipped_channel="moved", finish="length")
inside("5 skipped_channel moved, text markers with it", KIMI, f"{TO}R{AC}", "", f"{TO}R", skipped_channel="moved")
inside("5 unclosed reasoning", TAGS, "t", "t", "", unclosed="reasoning")
inside("5 unclosed content_if_stopped", TAGS, "t<think></th", "", "t<think></th", unclosed="content_if_stopped")
inside("5 unclosed content_if_stopped at length", TAGS, "t<", "t<", "", unclosed="content_if_stopped", finish="length")
inside("5 unclosed content_if_stopped, closed", TAGS, "t</think>a", "t", "a", unclosed="content_if_stopped")
reads("5 unclosed content_if_stopped, self-opened", TAGS, "a<think>t", "", "at", unclosed="content_if_stopped")
inside("5 unclosed content_if_stopped, a later block", TAGS, "t</think>a<think>u", "tu", "a", reopen="opens",
       unclosed="content_if_stopped")  # fmt: skip
reads("5 unclosed content_if_stopped, after an ended thought", TAGS, "t</think>a<think>u", "tu", "a", reopen="opens",
      unclosed="content_if_stopped", stray_close="ends_thought")  # fmt: skip
inside("5 unclosed content_if_stopped, calls ended it", TAGS, "t<call></call><think>u", "tu", "<call></call>",
       reopen="opens", unclosed="content_if_stopped")  # fmt: skip
reads("5 unclosed content_if_stopped, no block before", TAGS, "<call></call><think>u", "", "<call></call>u",
      reopen="opens", unclosed="content_if_stopped")  # fmt: skip
reads("5 unclosed content_if_stopped, a declined thought closed nothing", TAGS, "</think>a<think>u", "", "au",
      reopen="opens", unclosed="content_if_stopped")  # fmt: skip
reads("5 off text", TAGS, "<think>t</think>a", "", "<think>t</think>a", thinking=False, off="text")
reads("5 off text, other markers act", KIMI, f"{TO}{AO}{CO}x{CC}{TC}{MC}", "", f"{TO}{CO}x{CC}{TC}", thinking=False,
      off="text")  # fmt: skip
reads("5 off text, whatever else", TAGS, "</think>a</think><think>", "", "</think>a</think><think>", thinking=False,
      off="text", stray_close="ends_thought", reopen="opens")  # fmt: skip
reads("5 off text, asked for", TAGS, "<think>t", "t", "", thinking=True, off="text")
inside("5 off text, opened", TAGS, "t</think>a", "t", "a", thinking=False, off="text")
reads("5 space trimmed changes no reading", TAGS, " <think> t ", " t ", " ", space="trimmed")

# facts/sources.md, where no row above shows it
replayed("src a declined thought, then calls, thinking off", f"{TC}{CO}x{CC}", "", f"{CO}x{CC}", thinking=False)
reads("src a calls opener at offset 0 is kept", KIMI, f"{CO}x{CC}", "", f"{CO}x{CC}", thinking=False, off="text")
inside("src a marker in an argument", TAGS, 'plan</think><call>{"a": "<think>"}</call>', "plan",
       '<call>{"a": "<think>"}</call>')  # fmt: skip
inside("src an argument with a closer", TAGS, "t<call></think></call>a", "t", "<call></think></call>a")
reads("src text before an opener stays content", TAGS, "Prose. <think>t</think> a", "t", "Prose.  a")
reads("src two thousand framings", KIMI, f"a{MC}" * 2000, "", "a" * 2000)
replayed("src a draft, then the answer", f"d{AC} and{AC}\n{TC}\n{AO}a{AC}{MC}", "d and\n", "\na")

READERS: dict[str, Callable[[Dialect, Policy, Request, str, Finish], Message]] = {
    "specified": reader.split,
    "second": lambda *given: second.read(*given).message,
}


def ids(row: Row) -> str:
    return row.fact


@pytest.mark.parametrize("split", READERS.values(), ids=READERS)
@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_reads_as_the_rule_says(row: Row, split: Callable[..., Message]) -> None:
    assert split(row.dialect, row.policy, row.request, row.raw, row.finish) == Message(row.reasoning, row.content)


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_spans_tile_the_output_and_their_fates_give_the_message(row: Row) -> None:
    reading = second.read(row.dialect, row.policy, row.request, row.raw, row.finish)
    assert "".join(row.raw[span.start : span.end] for span in reading.spans) == row.raw
    assert [span.start for span in reading.spans] == [0, *(span.end for span in reading.spans)][: len(reading.spans)]
    assert all(span.start < span.end and span.rule in second.RULES for span in reading.spans)
    given = {
        channel: "".join(row.raw[span.start : span.end] for span in reading.spans if span.fate == channel)
        for channel in ("reasoning", "content")
    }
    assert given["reasoning"] == reading.message.reasoning
    assert (given["content"] == reading.message.content) or reading.replayed


def test_facts_are_told_apart() -> None:
    assert len({row.fact for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("rule", second.RULES)
def test_every_rule_of_the_second_reader_has_an_example(rule: str) -> None:
    readings = (second.read(row.dialect, row.policy, row.request, row.raw, row.finish) for row in ROWS)
    assert any(span.rule == rule for reading in readings for span in reading.spans)


@pytest.mark.parametrize(
    ("raw", "cut"),
    [(" </thi", "</thi"), ("a</thi", ""), ("a<thi", "<thi"), ("</think>a<thi", ""), ("<think>t<", "<")],
)
def test_a_possible_beginning_is_judged_where_it_starts(raw: str, cut: str) -> None:
    spans = second.read(TAGS, DEFAULT, Request("tags", False, True), raw, "stop").spans
    assert "".join(raw[span.start : span.end] for span in spans if span.cut) == cut
