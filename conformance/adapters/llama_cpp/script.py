"""A C++ program that asks llama.cpp's chat parser about one output, without this suite."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.adapters.llama_cpp.declared import TEMPLATES
from conformance.adapters.llama_cpp.place import FLAGS, INCLUDED, SOURCES, VERSION
from oracles.dialects import REGISTRY
from oracles.messages import Finish, Request

PROGRAM = r"""// llama.cpp as llama-cpp-python @VERSION@ vendors it. In its folder vendor/llama.cpp:
//   g++ @FLAGS@ -o ask ask.cpp \
//     @SOURCES@ \
//     -Wl,--gc-sections,--unresolved-symbols=ignore-all -pthread
//   ./ask
#include "chat.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static void show(const char * name, const std::string & reasoning, const std::string & content) {
    std::printf("%s\n  reasoning: %s\n  content:   %s\n", name, reasoning.c_str(), content.c_str());
}

int main(int count, char ** words) {
    std::ifstream file(count > 1 ? words[1] : "models/templates/@TEMPLATE@");
    const std::string source((std::istreambuf_iterator<char>(file)), {});
    const auto templates = common_chat_templates_init(nullptr, source);
    common_chat_msg question;
    question.role    = "user";
    question.content = "hi";
    common_chat_templates_inputs inputs;
    inputs.messages         = {question};
    inputs.reasoning_format = common_reasoning_format_from_name("auto");
    inputs.enable_thinking  = @THINKING@;
    const auto applied = common_chat_templates_apply(templates.get(), inputs);
    common_chat_parser_params params(applied);
    params.reasoning_format = inputs.reasoning_format;
    if (!applied.parser.empty()) {
        params.parser.load(applied.parser);
    }

    const std::string raw = @RAW@;
    try {
        const auto message = common_chat_parse(raw, false, params);
        show("split", message.reasoning_content, message.content);
    } catch (const std::exception & error) {
        std::printf("split\n  failed: %s\n", error.what());
    }
@STREAM@}
"""

STREAM = r"""
    // What task_result_state::update_chat_msg of llama-server does for every token, and at the end.
    const std::vector<std::string> updates = {
@UPDATES@
    };
    common_chat_msg before;
    std::string generated;
    try {
        for (size_t each = 0; each <= updates.size(); ++each) {
            const bool partial = each < updates.size();
            generated += partial ? updates[each] : "";
            const auto now = common_chat_parse(generated, partial, params);
            if (now.empty()) {
                continue;
            }
            for (const auto & diff : common_chat_msg_diff::compute_diffs(before, now)) {
                const std::string when = partial ? "after " + updates[each] : "at the end";
                show(when.c_str(), diff.reasoning_content_delta, diff.content_delta);
            }
            before = now;
        }
    } catch (const std::exception & error) {
        std::printf("stream\n  failed: %s\n", error.what());
    }
"""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """The program's text, with how to compile it. ``chunks``: None where the split alone matters.

    The parser never learns how an output ended, so ``finish`` changes nothing.
    """
    template = TEMPLATES[request.dialect]
    shown = raw
    for end, reaches in template.ends.items():
        shown = shown if reaches else shown.removesuffix(end)
    updates = [] if chunks is None else _cut(_updates(chunks, REGISTRY.get(request.dialect).atoms), len(shown))
    filled = PROGRAM.replace("@STREAM@", "" if chunks is None else STREAM)
    for mark, text in {
        "@VERSION@": VERSION,
        "@FLAGS@": " ".join((*FLAGS, *(f"-I{folder}" for folder in INCLUDED))),
        "@SOURCES@": " ".join(f"common/{pattern}" for pattern in SOURCES),
        "@TEMPLATE@": template.file,
        "@THINKING@": "true" if request.thinking else "false",
        "@UPDATES@": "\n".join(f"        {literal(text)}," for text in updates),
        "@RAW@": literal(shown),
    }.items():
        filled = filled.replace(mark, text)
    return filled


def literal(text: str) -> str:
    """A C++ expression that is a string of the text's UTF-8."""
    # An octal escape ends after three digits; a hexadecimal one would take what follows with it.
    inside = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode()
    )
    return f'std::string("{inside}", {len(text.encode())})'


def _updates(chunks: Sequence[str], atoms: Sequence[str]) -> list[str]:
    """Chunks as the server updates its message: a token that is a special one alone."""
    alone = re.compile(f"({'|'.join(map(re.escape, sorted(atoms, key=len, reverse=True))) or '(?!)'})")
    return [text for chunk in chunks for text in alone.split(chunk) if text]


def _cut(chunks: Sequence[str], length: int) -> list[str]:
    """Chunks without what is behind ``length`` characters."""
    cut = []
    for chunk in chunks:
        cut.append(chunk[:length])
        length -= len(cut[-1])
    return cut
