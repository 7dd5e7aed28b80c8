"""What vLLM's parsers declare of themselves, each value with the place in its code that says so."""

from __future__ import annotations

Values = dict[str, str | bool]
"""Policy axis to value."""

TAGS: Values = {
    # BaseThinkingReasoningParser.extract_reasoning cuts once, at the first closer; what follows it is handed on.
    "stray_close": "text",
    # No tool marker is known to it.
    "calls_end_reasoning": False,
    # "if self.end_token not in model_output: return model_output, None"
    "unclosed": "reasoning",
    # Nothing is stripped.
    "space": "kept",
    # Neither "echoed_open" nor "reopen" is declared: the split drops the first opener with all that stands before it,
    # inside the thought or behind it; the stream drops each in the thought that is a delta of its own, and hands on
    # what stands behind. No value says either.
}

SWITCHED_OFF: Values = {
    # IdentityReasoningParser: "No reasoning separation". The engine's: "if not self.thinking_enabled: return None,
    # model_output".
    "off": "text",
}

ENGINE: Values = {
    # (CONTENT, THINK_END): "Absorb duplicate </think>, model may emit it after already transitioning to CONTENT".
    "stray_close": "dropped",
    "declined": "dropped",
    # (REASONING, THINK_START) -> REASONING, no events: "Absorb a duplicate <think> while already reasoning".
    "echoed_open": "dropped",
    # (REASONING, TOOL_START): "Tool call directly from reasoning (implicit end)".
    "calls_end_reasoning": True,
    # REASONING at finish() gives its end and no more.
    "unclosed": "reasoning",
    # strip_trailing_reasoning_whitespace, the default of ParserEngineConfig.
    "space": "trimmed",
}

# There is no (CONTENT, THINK_START).
ENGINE_ONCE = ENGINE | {"reopen": "text"}

# (CONTENT, THINK_START) -> REASONING.
ENGINE_AGAIN = ENGINE | {"reopen": "opens", "prefix": "content"}

GEMMA4 = {
    axis: value
    for axis, value in ENGINE_AGAIN.items()
    # "stray_close" is not declared: an opener is put before the first delta where a closer is in it, so the chunks say.
    if axis != "stray_close"
}

GRANITE: Values = {
    # One regular expression: an opening sentence, the shortest text to a closing one, and the rest.
    "reopen": "text",
    "stray_close": "text",
    "declined": "text",
    "echoed_open": "text",
    "calls_end_reasoning": False,
    "off": "read",
    "space": "kept",
    # Neither "prefix" (the split drops words before the opening sentence) nor "unclosed" (then "all content is
    # considered non-reasoning content", the opening sentence with it) is any of the values there are.
}

MINIMAX_M3: Values = {
    # "MiniMax M3 can start a response with a stray closer. Drop that first token only; later unmatched closers stay
    # visible as content."
    "declined": "dropped",
    "stray_close": "text",
    # content_before + content_after
    "prefix": "content",
    # The text is cut once.
    "reopen": "text",
    "calls_end_reasoning": False,
    # "if not end: return model_output, None"
    "unclosed": "reasoning",
    "space": "kept",
    # Neither "echoed_open" (what stands before a repeated opener becomes content) nor "off" (the split reads on, the
    # stream hands on what follows a prompt that closed reasoning) is declared.
}

OLMO3: Values = {
    # One regular expression: an opener at the start or none, the shortest text to a closer, and the rest.
    "reopen": "text",
    "stray_close": "text",
    "calls_end_reasoning": False,
    "space": "kept",
    # Neither "unclosed" (without a closer the split gives all as content, however the output ended) nor "echoed_open"
    # (one opener is dropped, and that not behind white space) is any of the values there are.
}

POLICIES: dict[str, Values] = {
    "deepseek_r1": TAGS,
    # "off" is not declared: switched off, the split reads on, and the stream hands on what follows a prompt that
    # closed reasoning. The same in gemma4.
    "deepseek_v4": ENGINE_AGAIN,
    # "space" is not declared: the stream strips line feeds behind the closer, the split doesn't.
    "ernie45": {axis: value for axis, value in TAGS.items() if axis != "space"},
    "gemma4": GEMMA4,
    "glm45": ENGINE_AGAIN | SWITCHED_OFF,
    "granite32": GRANITE,
    "kimi_k2": ENGINE_ONCE,
    # No rule for a reply in the thinking channel.
    "kimi_k3": TAGS | SWITCHED_OFF | {"skipped_channel": "stays"},
    "minimax_m3": MINIMAX_M3,
    # It knows no switch.
    "mistral": ENGINE_AGAIN | {"off": "read"},
    "olmo3": OLMO3,
    # strip_trailing_reasoning_whitespace=False
    "qwen3": ENGINE_ONCE | SWITCHED_OFF | {"space": "kept"},
    # Its text is cut at the first closer, and "everything before" is reasoning, an opener too.
    "step3": TAGS | {"reopen": "text", "echoed_open": "text"},
}
"""Dialect to what is declared for it."""
