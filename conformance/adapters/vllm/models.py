"""The models that vLLM is asked to serve: parser, template's switch, tokens of the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.vllm.tokenizer import Tokenizer
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported

FORCED = "starts in reasoning, whatever the prompt ends with"
UNTOLD = "can't be told that the prompt opened reasoning"
SWITCHED = "'s template opens no reasoning where it is switched off"


@dataclass(frozen=True)
class Model:
    """A model as a server has it.

    ``parser``: --reasoning-parser. ``eos``: the token that ends a turn. ``further``: tokens of the prompt, and, where
    they are ``merged``, of the output: a chunk that holds one whole brings its one id. ``names``: how the vocabulary
    writes some tokens, to their text.

    ``on`` and ``off``: chat_template_kwargs by which reasoning is switched; no ``off`` where the template has no
    switch, and then the caller's wish changes nothing. ``prefilled``: those with which the template opens reasoning,
    where it has them. ``forced``: the parser starts in reasoning. ``untold``: it can't be told that the prompt opened.
    """

    dialect: str
    parser: str
    eos: str
    further: tuple[str, ...] = ()
    on: Mapping[str, Any] = field(default_factory=dict)
    off: Mapping[str, Any] | None = None
    prefilled: Mapping[str, Any] | None = None
    forced: bool = False
    untold: bool = False
    merged: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the model."""
        return Tokenizer(REGISTRY.get(self.dialect), self.eos, self.further, self.names)

    def asked(self, request: Request) -> tuple[dict[str, Any], str]:
        """The template's arguments and the end of the prompt.

        Raises Unsupported where the server would never see such a request, or can't be told.
        """
        thinking = request.thinking or self.off is None
        if request.opened and not thinking:
            raise Unsupported(f"{self.dialect}{SWITCHED}")
        if request.opened and self.untold:
            raise Unsupported(f"{self.parser} {UNTOLD}")
        if thinking and not request.opened and self.forced:
            raise Unsupported(f"{self.parser} {FORCED}")
        dialect = REGISTRY.get(self.dialect)
        prompt = dialect.prompts["on" if thinking and "on" in dialect.prompts else "off"]
        tail: str = prompt["tail"]
        if request.opened and not prompt["opened"]:
            tail += dialect.of("reasoning_open")[0]
        elif prompt["opened"] and not request.opened:
            tail = tail[: tail.rindex(dialect.of("reasoning_open")[0])]
        arguments = self.on if thinking else self.off or {}
        return dict(self.prefilled if request.opened and self.prefilled is not None else arguments), tail

    def chunk_ids(self, chunk: Chunk, tokenizer: Tokenizer) -> list[int]:
        """The ids of a chunk."""
        if self.merged and tokenizer.decode(chunk.ids) == chunk.text:
            return tokenizer.encode(chunk.text)
        return list(chunk.ids)


CHATML = ("<|im_start|>", "<|im_end|>")
DEEPSEEK = ("<｜Assistant｜>", "<｜User｜>")
ON, OFF = {"enable_thinking": True}, {"enable_thinking": False}
THINKING, SILENT = {"thinking": True}, {"thinking": False}

MODELS = {
    model.dialect: model
    for model in (
        Model("deepseek_r1", "deepseek_r1", "<｜end▁of▁sentence｜>", DEEPSEEK, forced=True),
        Model("deepseek_v4", "deepseek_v4", "<｜end▁of▁sentence｜>", DEEPSEEK, on=THINKING, off=SILENT, forced=True),
        Model("ernie45", "ernie45", "</s>", forced=True, names={"<0x0A>": "\n"}),
        Model("gemma4", "gemma4", "<turn|>", ("<|turn>", "<|tool_response>"), on=ON, off=OFF),
        Model("glm45", "glm45", "<|endoftext|>", ("<|assistant|>", "<|user|>"), on=ON, off=OFF, forced=True),
        Model("granite32", "granite", "<|end_of_text|>", untold=True),
        Model("kimi_k2", "kimi_k2", "<|im_end|>", ("<|im_assistant|>", "<|im_middle|>"), forced=True),
        Model("kimi_k3", "kimi_k3", "<|end_of_msg|>", on=THINKING, off=SILENT, forced=True),
        Model(
            "minimax_m3",
            "minimax_m3",
            "[e~[",
            ("]~b]", "<mm:think>", "</mm:think>"),
            merged=True,
            off={"thinking_mode": "disabled"},
            prefilled={"thinking_mode": "enabled"},
        ),
        Model("mistral", "mistral", "</s>", ("[INST]", "[/INST]"), untold=True),
        Model(
            "olmo3",
            "olmo3",
            "<|endoftext|>",
            (*CHATML, "</", " </", "think"),
            forced=True,
            merged=True,
            names={"Ġ</": " </"},
        ),
        Model("qwen3", "qwen3", "<|im_end|>", CHATML, on=ON, off=OFF, forced=True),
        Model("step3", "step3", "<|EOT|>", forced=True),
    )
}
"""Dialect to the model."""
