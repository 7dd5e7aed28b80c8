"""Every shape of the grammar, in the order in which they are tried and shown."""

from __future__ import annotations

from collections.abc import Iterator

from oracles import long_shapes
from oracles.dialects import Dialect
from oracles.pieces import Output
from oracles.shapes import TEXTS, Shape

_ODD_BETWEEN_WORDS = (
    *(f"on= R {name}@R R close C {name}@C C" for name in TEXTS),
    *(f"off= C {name}@C C call C {name}@C C" for name in TEXTS),
)
_ODD_AT_THE_END = tuple(
    f"{head} {name}@{channel}"
    for name in ("accent", "composed", "astral", "family", "replacement", "cjk")
    for head, channel in (("on= R", "R"), ("on= R close C", "C"))
)


def everywhere(form: str) -> Iterator[str]:
    """Patterns with each marker (in ``form``'s braces) at the beginning, after words, in reasoning and after it."""
    for name in ("open", "close", "answer", "/answer", "call", "frame"):
        for head in ("on: w", "on: w close w", "off: w", "off:"):
            yield f"{head} {form.format(name)}"


_BESIDE = ("_", "n", "nn", "crlf", "cr", "tab", "vt", "__")

SHAPES: tuple[Shape, ...] = (
    Shape(
        "answered",
        "reasoning, then an answer",
        ("on= R close C", "on= R n@R close nn@C C", "off= C", "on= R close answer C /answer frame"),
    ),
    Shape(
        "self-opened",
        "the model opens its reasoning itself",
        ("off= open R close C", "off= open n@R R n@R close nn@C C"),
    ),
    Shape(
        "empty-thought",
        "reasoning that holds nothing",
        ("on= close C", "on= nn@R close C", "off= open close C", "off= open close"),
    ),
    Shape("nothing", "an output that is empty or blank", ("on:", "off: _", "on: n", "off: nn", "on: _ close n")),
    Shape("no-closer", "reasoning that never closes", ("on: w", "off: open w", "on: w n", "off: open")),
    Shape(
        "words-before-opener",
        "an opener after words",
        ("off: w open w close w", "off: w open", "off: w _ open w", "off: w close w open w close w"),
        "FreeToken #711",
    ),
    Shape(
        "space-before-opener",
        "white space before the opener",
        tuple(f"off: {space} open w close w" for space in _BESIDE),
        "FreeToken #712",
    ),
    Shape(
        "opener-repeated",
        "an opener inside open reasoning",
        (
            "on: open w close w",
            "off: open open w close w",
            "on: w open w close w",
            "off: open w open w",
            "on: _ open w",
            "on: open open w",
            "on: w open n w",
        ),
    ),
    Shape(
        "second-block",
        "a reasoning opener after reasoning closed",
        (
            "on: w close w open w",
            "on: w close open w close w",
            "off: open w close w open w close w",
            "on: close open",
            "off: open w close n open w close w open w",
            "off: open w close open _ w close _ w",
        ),
        "FreeToken #711",
    ),
    Shape(
        "lone-closer",
        "a closer outside reasoning, after words",
        ("off: w close w", "off: w close", "off: w close w close w"),
        "llamadart PR 1555",
    ),
    Shape(
        "closer-first",
        "a closer among the first words",
        (
            "off: close w",
            "off: _ close w",
            "off: n close n w",
            "off: tab close w",
            "off: crlf close w",
            "off: vt close w",
            "off: close",
            "off: frame close w",
            "off: frame _ close w",
            "off: /answer n close w",
            "off: close close w",
        ),
    ),
    Shape(
        "quoted-closer",
        "a closer in the answer",
        (
            "on: w close w close w",
            "off: open w close w close w",
            "on: w close close w",
            "on: w close answer w close w /answer",
        ),
    ),
    Shape(
        "quoted-opener",
        "an opener in the answer",
        ("on: w close w open", "on: w close answer w open w /answer", "off: answer w open w close w /answer"),
    ),
    Shape(
        "marker-in-call",
        "a marker inside a call's arguments",
        (
            "off= call C open@C C close@C C /call C",
            "on= R close call C open@C C close@C C /call",
            "off= call C close@C /call",
            "on= R close C call C frame@C C answer@C C /answer@C C /call C",
            "off= call C call@C C /call C",
            "on: w call w open w close w /call w",
            "off= call C open@C C close@C C",
            "on= R close call C open@C C close@C C",
        ),
        "FreeToken #711",
    ),
    Shape(
        "framing-in-thought",
        "framing inside reasoning",
        (
            "on= R frame R close C",
            "on= frame R close C",
            "on= R n@R frame n@R close C",
            "off= open R frame R close C frame",
        ),
    ),
    Shape(
        "framing-anywhere",
        "framing around and between everything",
        (
            "off= frame C frame",
            "on= R close frame C frame frame",
            "on= R frame close frame answer frame C frame",
            "off= frame frame C",
        ),
    ),
    Shape(
        "skipped",
        "a reply in the reasoning channel, ended by the answer's closer",
        ("on: w /answer", "off: open w /answer", "on: w w /answer"),
        "ROCm/ATOM PR 2910",
    ),
    Shape(
        "skipped-framing",
        "a skipped channel, then framing",
        ("on: w /answer frame", "on: w /answer frame frame"),
        "ROCm/ATOM PR 2910",
    ),
    Shape(
        "skipped-space",
        "a skipped channel, then white space",
        (
            "on: w /answer n",
            "on: w /answer n frame",
            "on: w /answer frame __",
            "on: w n /answer nn frame n",
            "on: w /answer tab",
            "on: w /answer crlf frame",
            "on: w /answer vt",
        ),
        "ROCm/ATOM PR 2910",
    ),
    Shape(
        "skipped-cut",
        "a skipped channel, then a marker cut short",
        (
            "on: w /answer frame.cut",
            "on: w /answer n frame.half",
            "on: w /answer close.half",
            "on: w /answer frame answer.half",
        ),
        "ROCm/ATOM PR 2910",
    ),
    Shape(
        "skipped-exit",
        "an answer's closer in reasoning, then a proper exit",
        ("on: w /answer close w", "on: w /answer answer w /answer", "on: w /answer n close answer w /answer frame"),
        "ROCm/ATOM PR 2910",
    ),
    Shape(
        "skipped-call",
        "a skipped channel, then a call",
        (
            "on: w /answer call w /call",
            "on: w /answer n call w /call frame",
            "on: w /answer call",
            "on: w /answer w call w /call",
        ),
        "ROCm/ATOM PR 2910",
    ),
    Shape(
        "answer-closer-quoted",
        "an answer's closer in reasoning, and words after it",
        ("on: w /answer w", "on: w /answer w close answer w", "on: w /answer w /answer", "on: w /answer n w"),
        "SGLang PR 37743",
    ),
    Shape(
        "answer-closer-repeated",
        "several answer closers in one channel",
        (
            "on: w /answer /answer",
            "on: w /answer n /answer n",
            "on: /answer",
            "on: n /answer n",
            "on: w /answer w /answer frame /answer",
        ),
    ),
    Shape(
        "answer-opener-anywhere",
        "an answer's opener outside its place",
        (
            "off: answer w /answer",
            "on: answer w",
            "off: w answer w",
            "on: w close w answer w /answer w",
            "off: answer open w close w",
            "off: answer close w",
        ),
    ),
    Shape(
        "call-first",
        "a call before anything else",
        ("off= call C", "off= call C /call", "off= call C /call C", "off= _@C call C /call frame"),
        "ROCm/ATOM PR 2910",
    ),
    Shape(
        "call-in-thought",
        "a calls opener inside reasoning",
        (
            "on: w call w /call w",
            "on: w call w close w",
            "on: w call w /call close w",
            "on: call close",
            "on: w call w",
            "off: open w call w /call w",
        ),
    ),
    Shape(
        "call-after-reply",
        "a call after the reply",
        (
            "on= R close C call C",
            "on= R close C call C /call",
            "on= R close C n@C call C /call n@C",
            "off= open R close C call C /call C",
        ),
    ),
    Shape("call-unclosed", "a call that never closes", ("on= R close C call C", "off= call", "off= C call C open@C C")),
    Shape(
        "call-twice",
        "a second calls region",
        (
            "off= call C /call call C /call C",
            "on= R close call C /call C call C open@C /call C",
            "off= call C /call n@C call C close@C C /call",
        ),
    ),
    Shape(
        "call-then-marker",
        "markers after a calls region",
        (
            "off= call C /call frame C",
            "off: call w /call open w close w",
            "off: call w /call close w",
            "off: call w /call call w /call open w close w",
            "off= call C /call answer C /answer frame",
            "on: w close call w /call open w",
        ),
    ),
    Shape(
        "calls-closer-alone",
        "a calls closer outside a region",
        ("on: w /call w close w /call w", "off: /call w", "on: w /call"),
    ),
    Shape(
        "cut-at-end",
        "a marker cut short at the end",
        (*everywhere("{}.cut"), "off: call w /call.cut"),
        cut="brief",
    ),
    Shape(
        "cut-in-the-middle",
        "a marker cut short, then words",
        (
            *everywhere("{}.half w"),
            "off: call w /call.half w /call w",
            "on: close.half close w",
            "off: open.half open w close w",
            "on: w /answer frame.half frame",
        ),
    ),
    Shape(
        "look-alikes",
        "text that only begins like a marker",
        ("on= R ~@R R close C ~@C C", "off= C ~@C C", "off: ~ w", "on: ~", "on: w close ~", "off: ~ close w"),
    ),
    Shape(
        "upper-case",
        "markers in upper case",
        (
            "on= R close.upper@R R close C open.upper@C C",
            "off: open.upper w close.upper w",
            "off= C call.upper@C C",
        ),
    ),
    Shape(
        "loose-markers",
        "text that a careless search takes for a marker",
        (
            "on= R close.loose@R R close C open.loose@C C",
            "off= C open.loose@C C",
            "off: open.loose w close w",
            "off: open w close.loose w close w",
        ),
        cut="brief",
    ),
    Shape(
        "code-fence",
        "a code fence beside markers",
        (
            "on= R fence@R R close C fence@C C",
            "off: fence n open w close w",
            "on: fence n close n fence w",
            "off= fence@C n@C call C /call",
        ),
    ),
    Shape("foreign", "markers of another dialect", ("on= R !@R R close C !@C C", "off= C !@C C", "on: !", "off: ! w")),
    Shape(
        "beside-markers",
        "white space beside every marker",
        tuple(f"on= R {s}@R close {s}@C C" for s in _BESIDE)
        + tuple(f"off: {s} open {s} w {s} close {s}" for s in _BESIDE)
        + tuple(
            f"off: w {s} {name} {s} w" for s in ("_", "nn") for name in ("answer", "/answer", "/call", "frame", "close")
        )
        + tuple(f"off: w {s} call {s} w" for s in _BESIDE),
    ),
    Shape(
        "any-unicode",
        "characters that readers stumble over",
        (
            *_ODD_BETWEEN_WORDS,
            "on= R accent@R close accent@C C",
            "on= R cjk@R close astral@C C",
            *_ODD_AT_THE_END,
        ),
    ),
    Shape("prefix-pairs", "a marker that is the beginning of another", write=long_shapes.prefix_pairs, cut="brief"),
    Shape("joined-neighbours", "text that only a dropped marker parted", write=long_shapes.joined_neighbours),
    Shape("across-64", "a marker across a 64-character edge", write=long_shapes.across_64, cut="edges"),
    Shape(
        "across-4096",
        "a marker across a 4,096-character edge",
        write=long_shapes.across_4096,
        known_as="ROCm/ATOM PR 2910",
        cut="edges",
    ),
    Shape(
        "long-replay",
        "a long reply in the reasoning channel",
        write=long_shapes.long_replay,
        known_as="ROCm/ATOM PR 2910",
    ),
    Shape(
        "long-space",
        "a run of white space longer than any marker",
        write=long_shapes.long_space,
    ),
    Shape("everything", "every marker in one output", write=long_shapes.everything),
)


def shapes_of(dialect: Dialect) -> list[Shape]:
    """The shapes that a dialect's markers allow: those that write at least one output."""
    return list(written(dialect))


def written(dialect: Dialect) -> dict[Shape, list[Output]]:
    """Each shape that a dialect's markers allow, with its outputs."""
    outputs = {shape: shape.outputs(dialect) for shape in SHAPES}
    return {shape: made for shape, made in outputs.items() if made}
