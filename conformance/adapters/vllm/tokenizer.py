"""A tokenizer in memory whose tokens are the suite's, and whose vocabulary vLLM's parsers find their markers in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oracles.dialects import Dialect
from oracles.vocabulary import FIRST_ATOM, Vocabulary


class Tokenizer:
    """What vLLM's parsers ask of a tokenizer (``vllm.tokenizers.TokenizerLike``), for one dialect.

    A character's id is its code point; the dialect's atoms come from ``FIRST_ATOM`` on, and behind them ``further``,
    the tokens of the prompt. ``eos`` is the only token that is special to the detokenizer. ``names``: how the
    vocabulary writes some tokens, to their text.
    """

    def __init__(
        self,
        dialect: Dialect,
        eos: str,
        further: Sequence[str] = (),
        names: Mapping[str, str] | None = None,
    ) -> None:
        known = tuple(dict.fromkeys((*dialect.atoms, *further, eos)))
        self._vocabulary = Vocabulary(replace(dialect, atoms=known))
        self._texts = {number: text for text, number in self._vocabulary.ids.items()}
        self._names = {**{chr(point): point for point in range(128)}, **self._vocabulary.ids}
        self._names |= {name: self._names[text] for name, text in (names or {}).items()}
        self.eos_token = eos
        self.eos_token_id = self._names[eos]
        self.all_special_tokens = [eos]
        self.all_special_ids = [self.eos_token_id]
        self.vocab_size = FIRST_ATOM + len(known)

    def get_vocab(self) -> dict[str, int]:
        """Token to id: all tokens but the characters past ASCII."""
        return self._names

    def known(self) -> dict[str, int]:
        """Token to id: those of more than one character."""
        return dict(self._vocabulary.ids)

    def tokens(self, text: str) -> tuple[Sequence[int], Sequence[int]]:
        """The ids of a text, and the offsets at which its tokens end."""
        return self._vocabulary.tokens(text)

    def encode(self, text: str, add_special_tokens: bool = True, **options: Any) -> list[int]:
        """The ids of a text; nothing is put around it."""
        return list(self._vocabulary.tokens(text)[0])

    def decode(self, ids: int | Iterable[int], skip_special_tokens: bool = False, **options: Any) -> str:
        """The text of ids."""
        wanted = (ids,) if isinstance(ids, int) else ids
        skipped = {self.eos_token_id} if skip_special_tokens else ()
        return "".join(self._texts.get(number) or chr(number) for number in wanted if number not in skipped)

    def convert_tokens_to_ids(self, token: str) -> int | None:
        """The id of a token, None where there is none."""
        return self._names.get(token)

    def convert_ids_to_tokens(self, ids: Sequence[int], skip_special_tokens: bool = False) -> list[str]:
        """The token of each id."""
        return [self.decode(number) for number in ids]

    def __len__(self) -> int:
        return self.vocab_size
