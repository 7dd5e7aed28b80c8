"""Judges a parser by the corpus: python runner.py CORPUS PARSER.py [DIALECT…], with nothing but Python.

The parser is a file with ``dialects``, ``policy`` (axis to value, perhaps empty), ``split(raw, request, finish)``,
which returns a pair (reasoning, content), and ``stream(request)``, which returns an object with ``feed(text)`` and
``finish(finish)``, each of which returns pairs (channel, text).
"""

import json
import runpy
import sys
from pathlib import Path

WHITE_SPACE = " \t\n\r\v\f"


def text(value):
    """A text of a case: a string, or a list of strings and [string, count] pairs."""
    parts = [value] if isinstance(value, str) else value
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)


def message(value):
    return {channel: text(value[channel]) for channel in ("reasoning", "content")}


def streamed(parser, request, chunks, finish):
    told = {"reasoning": "", "content": ""}
    stream = parser["stream"](request)
    for deltas in [*(stream.feed(chunk) for chunk in chunks), stream.finish(finish)]:
        for channel, part in deltas:
            told[channel] += part
    return told


def judge(case, parser, policy):
    """What is wrong with a parser's reading of a case, or None. The policy has a value for each axis."""
    raw, finish, request = text(case["raw"]), case["finish"], case["request"]
    fitting = [entry for entry in case.get("policies", []) if entry["policy"].items() <= policy.items()]
    expected = message((fitting or [case])[0]["expected"])
    held = all(axis in parser["policy"] for axis in case.get("axes", []))

    def trim(told):
        return {name: part.strip(WHITE_SPACE) for name, part in told.items()} if policy["space"] == "trimmed" else told

    try:
        split = dict(zip(("reasoning", "content"), parser["split"](raw, request, finish), strict=True))
        if held and trim(split) != trim(expected):
            return f"the split is {split}, not {expected}"
        for chunks in [[raw], list(raw), *([text(chunk) for chunk in chunks] for chunks in case.get("chunkings", []))]:
            stream = streamed(parser, request, chunks, finish)
            if trim(stream) != trim(split):
                return f"in {len(chunks)} chunks the stream is {stream}, and the split {split}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def main(corpus, path, *dialects):
    corpus, parser = Path(corpus), runpy.run_path(path)
    axes = json.loads((corpus / "schema" / "dialect.schema.json").read_text("utf-8"))["properties"]["policy"][
        "properties"
    ]
    general = {axis: schema.get("enum", [True])[0] for axis, schema in axes.items()}
    judged = failed = 0
    for dialect in dialects or sorted(parser["dialects"]):
        declared = json.loads((corpus / dialect / "dialect.json").read_text("utf-8"))
        policy = {**general, **declared.get("policy", {}), **parser["policy"]}
        for file in sorted((corpus / dialect).glob("*.json")):
            for case in json.loads(file.read_text("utf-8")).get("cases", []):
                judged += 1
                if wrong := judge(case, parser, policy):
                    failed += 1
                    print(ascii(f"{case['id']}: {wrong}")[1:-1])
    print(f"{judged - failed} passed, {failed} failed")
    return 0 if judged and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
