"""The folder of a model that is none: a tokenizer of bytes and the dialect's atoms, for Dynamo's frontend to read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

LENGTH = 1_000_000
"""Tokens that the model is said to take."""


def write_model(folder: Path, atoms: Sequence[str]) -> Tokenizer:
    """Writes what a frontend reads of a model, and returns its tokenizer. Each of ``atoms`` is one token.

    The prompt is the last message as it stands, so that a request decides what its prompt ends with.
    """
    folder.mkdir(parents=True)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={byte: number for number, byte in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<s>", "</s>"])
    # Not "special": a detokenizer leaves those out, and of the models' own tokenizers most say so of think tags.
    tokenizer.add_tokens([AddedToken(atom, normalized=False, special=False) for atom in atoms])
    tokenizer.save(str(folder / "tokenizer.json"))
    begin, end = len(alphabet), len(alphabet) + 1
    written = {
        "config.json": {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "hidden_size": 8,
            "intermediate_size": 8,
            "num_hidden_layers": 1,
            "num_attention_heads": 1,
            "num_key_value_heads": 1,
            "vocab_size": tokenizer.get_vocab_size(),
            "max_position_embeddings": LENGTH,
            "bos_token_id": begin,
            "eos_token_id": end,
        },
        "generation_config.json": {"bos_token_id": begin, "eos_token_id": end},
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "model_max_length": LENGTH,
            "chat_template": "{{ messages[-1]['content'] }}",
        },
    }
    for name, held in written.items():
        (folder / name).write_text(json.dumps(held), encoding="utf-8")
    return tokenizer
