"""The declared dialects: their form, their sources, and how outputs of their models read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from representatives import REPRESENTATIVES

from conformance.corpus.writing import written
from oracles.dialects import REGISTRY, ROLES, Dialect, corpora
from oracles.messages import WHITE_SPACE, Finish, Message, Request
from oracles.policies import AXES, DEFAULT, QUESTIONS
from oracles.reader import split

IDS = sorted(file.parent.name for file in corpora().glob("*/dialect.json"))
SCHEMA = json.loads((corpora() / "schema" / "dialect.schema.json").read_text(encoding="utf-8"))

each_dialect = pytest.mark.parametrize("id", IDS)


def path(id: str) -> Path:
    return corpora() / id / "dialect.json"


def declared(id: str) -> Any:
    return json.loads(path(id).read_text(encoding="utf-8"))


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_knows_the_roles_in_their_order() -> None:
    assert tuple(SCHEMA["properties"]["markers"]["properties"]) == ROLES


def test_the_schema_knows_the_axes_and_their_values() -> None:
    schemas = SCHEMA["properties"]["policy"]["properties"]
    known = {
        axis: (True, False) if found.get("type") == "boolean" else tuple(found["enum"])
        for axis, found in schemas.items()
    }
    assert known == AXES
    assert list(SCHEMA["properties"]["policy_reasons"]["properties"]) == list(AXES)


def test_the_schema_describes_every_property_in_a_sentence() -> None:
    def undescribed(schema: Any, place: str) -> list[str]:
        if not isinstance(schema, dict):
            return []
        found = [
            f"{place}.{name}"
            for name, inner in schema.get("properties", {}).items()
            if not inner.get("description", "").endswith(".")
        ]
        inner = {**schema.get("properties", {}), **schema.get("$defs", {}), "items": schema.get("items")}
        return found + [each for name in inner for each in undescribed(inner[name], f"{place}.{name}")]

    assert undescribed({key: SCHEMA[key] for key in ("properties", "$defs")}, "$") == []


@each_dialect
def test_a_dialect_satisfies_the_schema_of_the_published_ones(id: str) -> None:
    validator = Draft202012Validator(SCHEMA).evolve(schema=SCHEMA["$defs"]["published"])
    assert [error.message for error in validator.iter_errors(declared(id))] == []


@pytest.mark.parametrize(("role", "more"), [("framing", set()), ("calls_open", {"calls"})])
def test_a_published_dialect_needs_a_title_models_sources_and_the_syntax_of_its_calls(
    role: str, more: set[str]
) -> None:
    validator = Draft202012Validator(SCHEMA).evolve(schema=SCHEMA["$defs"]["published"])
    short = {"schema": 1, "id": "short", "markers": {role: ["<x>"]}}
    wanting = {error.message.split("'")[1] for error in validator.iter_errors(short)}
    assert wanting == {"title", "models", "sources", *more}


@each_dialect
def test_an_id_is_the_name_of_its_folder(id: str) -> None:
    assert declared(id)["id"] == id


@each_dialect
def test_a_file_is_formatted_canonically(id: str) -> None:
    assert path(id).read_bytes() == written(declared(id)).encode()


@each_dialect
def test_keys_stand_in_the_order_of_the_schema(id: str) -> None:
    data = declared(id)
    assert list(data) == [key for key in SCHEMA["properties"] if key in data]
    assert list(data["markers"]) == [role for role in ROLES if role in data["markers"]]


@each_dialect
def test_a_source_is_a_public_page_that_shows_the_markers(id: str) -> None:
    sources = declared(id)["sources"]
    assert all(source["url"].startswith("https://") and source["url"].count("/") > 3 for source in sources)
    words = " ".join(source["shows"] for source in sources)
    assert "marker" in words or "special tokens" in words


@each_dialect
def test_no_marker_is_empty_or_white_space(id: str) -> None:
    assert all(marker.strip(WHITE_SPACE) for marker in REGISTRY.get(id).all_markers)


SPACED = {
    "gemma4": ["<|channel>thought\n"],
    "muse_glimmer": [" to=self<|message|>", " to=user<|message|>", " to=commentary<|message|>"],
}
"""Markers with white space at an end: a label with its line feed, headers that go on behind the prompt."""


@each_dialect
def test_white_space_at_a_marker_s_end_belongs_to_a_label_or_a_header(id: str) -> None:
    beside = [marker for marker in REGISTRY.get(id).all_markers if marker != marker.strip(WHITE_SPACE)]
    assert beside == SPACED.get(id, [])


@each_dialect
def test_an_atom_is_part_of_a_marker_or_a_literal_of_the_calls(id: str) -> None:
    data = declared(id)
    known = [*REGISTRY.get(id).all_markers, *data.get("calls", {}).get("literals", {}).values()]
    assert [atom for atom in data.get("atoms", []) if not any(atom in text for text in known)] == []


@each_dialect
def test_a_policy_holds_only_what_is_no_general_default_each_with_its_reason(id: str) -> None:
    data = declared(id)
    policy = data.get("policy", {})
    assert [axis for axis, value in policy.items() if getattr(DEFAULT, axis) == value] == []
    assert data.get("policy_reasons", {}).keys() == policy.keys()
    assert all("https://" in reason for reason in data.get("policy_reasons", {}).values())


@each_dialect
def test_a_prompt_is_opened_where_its_tail_ends_with_an_opener(id: str) -> None:
    dialect = REGISTRY.get(id)
    for prompt in dialect.prompts.values():
        tail = prompt["tail"].rstrip(WHITE_SPACE)
        ends = tail.endswith(tuple(marker.rstrip(WHITE_SPACE) for marker in dialect.of("reasoning_open")))
        assert prompt["opened"] == ends


@each_dialect
def test_a_declaration_survives_the_round_trip(id: str) -> None:
    data, dialect = declared(id), Dialect.from_json(declared(id))
    again = {
        "schema": 1,
        "id": dialect.id,
        "title": dialect.title,
        "models": list(dialect.models),
        "sources": list(dialect.sources),
        "tentative": dialect.tentative,
        "markers": {role: list(markers) for role, markers in dialect.markers.items()},
        "atoms": list(dialect.atoms),
        "prompts": dialect.prompts,
        "policy": {axis: value for axis, value in dialect.policy.values() if value != getattr(DEFAULT, axis)},
        "policy_reasons": dialect.policy_reasons,
        "calls": dialect.calls,
    }
    assert {key: value for key, value in again.items() if value or key in data} == data


def test_the_changelog_names_every_dialect() -> None:
    text = (corpora() / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [id for id in IDS if f"`{id}`" not in text] == []


QWEN_CALL = '<tool_call>\n{"name": "f", "arguments": {"q": "</think>"}}\n</tool_call>'
XML_CALL = "<tool_call>\n<function=f>\n<parameter=q>\n<think>\n</parameter>\n</function>\n</tool_call>"
DSML = (
    '<｜DSML｜{0}>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="q" string="true">'
    "</think></｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜{0}>"
)
V32_CALL, V4_CALL = DSML.format("function_calls"), DSML.format("tool_calls")
SECTION = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
R1_CALL = SECTION.format('function<｜tool▁sep｜>f\n```json\n{"q": 1}\n```')
V31_CALL = SECTION.format('f<｜tool▁sep｜>{"q": 1}')
GLM_CALL = "<tool_call>f\n<arg_key>q</arg_key>\n<arg_value><think></arg_value>\n</tool_call>"
GLM47_CALL = "<tool_call>f<arg_key>q</arg_key><arg_value>1</arg_value></tool_call>"
K2_CALL = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
    '{"q": 1}<|tool_call_end|><|tool_calls_section_end|>'
)
K3_CLOSE, K3_OPEN, K3_END = "<|close|>response<|sep|>", "<|open|>response<|sep|>", "<|close|>message<|sep|>"
K3_CALL = (
    '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="q" type="string"<|sep|>'
    "1<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"
)
M2_CALL = '<minimax:tool_call>\n<invoke name="f">\n<parameter name="q">1</parameter>\n</invoke>\n</minimax:tool_call>'
NS = "]<]minimax[>["
M3_CALL = f'{NS}<tool_call>\n{NS}<invoke name="f">{NS}<q></mm:think>{NS}</q>{NS}</invoke>\n{NS}</tool_call>'
ANALYSIS, FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"
PREAMBLE, NEXT = "<|channel|>commentary<|message|>", "<|end|><|start|>assistant"
CHANNEL_CALL = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>"
ROLE_CALL = " to=functions.f<|channel|>commentary json<|message|>{}<|call|>"
GEMMA_CALL = '<|tool_call>call:f{q:<|"|><channel|><|"|>}<tool_call|>'
SEED_CALL = "<seed:tool_call>\n<function=f>\n<parameter=q>1</parameter>\n</function>\n</seed:tool_call>"
BUDGET = "<seed:cot_budget_reflect>I have used 3 tokens.</seed:cot_budget_reflect>"
ARGS_CALL = "<tool_call>f<arg_key>q</arg_key>\n<arg_value><think></arg_value>\n</tool_call>"
STEP3_CALL = (
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="f">'
    '<steptml:parameter name="q">1</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>'
)
HY = ":opensource"
HY_CALL = (
    f"<tool_calls{HY}>\n<tool_call{HY}>f<tool_sep{HY}>\n<arg_key{HY}>q</arg_key{HY}>\n"
    f"<arg_value{HY}></think{HY}></arg_value{HY}>\n</tool_call{HY}>\n</tool_calls{HY}>"
)
LIST_CALL = '[{"name": "f", "arguments": {}}]'
LINES_CALL = '<tool_calls>\n{"name": "f", "arguments": {}}\n</tool_calls>'
TOOLS_CALL = f"<tool_calls>{LIST_CALL}</tool_calls>"
INNER_CALL = '<|tools_prefix|>[{"f": {"q": 1}}]<|tools_suffix|>'
LFM_CALL = "<|tool_call_start|>[f(q='<think>')]<|tool_call_end|>"
OLMO_CALL = '<function_calls>f(q="</think>")</function_calls>'
SELF, USER, HEADER = " to=self<|message|>", " to=user<|message|>", "<|start|>assistant"
ATEM = '<atem:function_calls>\n<atem:invoke name="f">\n</atem:invoke>\n</atem:function_calls>'
MUSE_CALL = f" to=f<|message|>{ATEM}"
PYTHON_CALL = "<|python_start|>[f(q=1)]<|python_end|>"
PLUGIN_CALL = '<|action_start|><|plugin|>\n{"name": "f", "parameters": {}}<|action_end|>'
DOTS_CALL = '<dots_function_call>\n<invoke name="f">\n</invoke>\n</dots_function_call>'
MIMO_CALL = "<tool_call>\n<function=f>\n<parameter=q></think></parameter>\n</function>\n</tool_call>"
CAT_CALL = '<longcat_tool_call>\n{"name": "f", "arguments": {}}\n</longcat_tool_call>'
THINKING, TEXT, BLOCK = "<|content_thinking|>", "<|content_text|>", "<|end_message|><|message_model|>"
BLOCK_CALL = '<|content_invoke_tool_json|>{"name": "f", "args": {}}<|end_message|>'
IFM_CALL = "<ifm|tool_calls><ifm|tool_call>f</ifm|tool_call></ifm|tool_calls>"
PARAM_CALL = '<function name="f"><param name="q"><![CDATA[</think>]]></param></function>'
SOLAR_NEXT = "<|end|><|begin|>assistant"
SOLAR_CALL = (
    '<|tool_calls|><|tool_call:begin|>x<|tool_call:name|>f<|tool_call:args|>{"q": "<|end|>"}<|tool_call:end|><|calls|>'
)
GCML_CALL = '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="f">\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>'
COHERE_CALL = '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "f", "parameters": {}}\n]<|END_ACTION|>'

OUTPUTS: list[tuple[str, bool, Finish, str, str, str]] = [
    ("deepseek_r1", True, "stop", "Hm.\n</think>\n\nHi.", "Hm.\n", "\n\nHi."),
    ("deepseek_r1", False, "stop", "<think>\nHm.\n</think>\n\nHi.", "\nHm.\n", "\n\nHi."),
    ("deepseek_r1", True, "stop", f"Hm.</think>{R1_CALL}", "Hm.", R1_CALL),
    ("deepseek_v31", True, "stop", f"Hm.</think>Hi.{V31_CALL}", "Hm.", f"Hi.{V31_CALL}"),
    ("deepseek_v31", False, "stop", "Hi.", "", "Hi."),
    ("deepseek_v32", True, "stop", f"Hm.</think>Hi.\n\n{V32_CALL}", "Hm.", f"Hi.\n\n{V32_CALL}"),
    ("deepseek_v32", True, "stop", f"Hm.\n\n{V32_CALL}", "Hm.\n\n", V32_CALL),
    ("deepseek_v4", True, "stop", f"Hm.</think>{V4_CALL}", "Hm.", V4_CALL),
    ("qwen3", False, "stop", "<think>\nHm.\n</think>\n\nHi.", "\nHm.\n", "\n\nHi."),
    ("qwen3", False, "stop", "<think>\n\n</think>\n\nHi.", "\n\n", "\n\nHi."),
    ("qwen3", False, "stop", f"<think>\nHm.\n</think>\n\n{QWEN_CALL}\nSo.", "\nHm.\n", f"\n\n{QWEN_CALL}\nSo."),
    ("qwen3", False, "stop", "Hi.", "", "Hi."),
    ("qwen3_thinking", True, "stop", "Hm.\n</think>\n\nWrite `<think>`.", "Hm.\n", "\n\nWrite `<think>`."),
    ("qwen3_thinking", True, "length", "Hm.\n</thi", "Hm.\n</thi", ""),
    ("qwen35", True, "stop", f"Hm.\n{XML_CALL}", "Hm.\n", XML_CALL),
    ("qwen35", True, "stop", f"Hm.\n</think>\n\nHi.\n\n{XML_CALL}", "Hm.\n", f"\n\nHi.\n\n{XML_CALL}"),
    ("glm45", False, "stop", f"\n<think>Hm.</think>\n{GLM_CALL}", "Hm.", f"\n\n{GLM_CALL}"),
    ("glm47", True, "stop", f"Hm.</think>Hi.{GLM47_CALL}", "Hm.", f"Hi.{GLM47_CALL}"),
    ("kimi_k2", False, "stop", f"<think>Hm.</think>Hi.{K2_CALL}", "Hm.", f"Hi.{K2_CALL}"),
    ("kimi_k2", False, "stop", f"<think>Hm.{K2_CALL}", "Hm.", K2_CALL),
    ("kimi_k3", True, "stop", f"Hm.<|close|>think<|sep|>{K3_OPEN}Hi.{K3_CLOSE}{K3_END}<|end_of_msg|>", "Hm.", "Hi."),
    (
        "kimi_k3",
        True,
        "stop",
        f"Hm.<|close|>think<|sep|>{K3_OPEN}Hi.{K3_CLOSE}{K3_CALL}{K3_END}",
        "Hm.",
        f"Hi.{K3_CALL}",
    ),
    ("kimi_k3", True, "stop", f"Hi.{K3_CLOSE}{K3_END}", "Hi.", "Hi."),
    ("kimi_k3", True, "length", f"Hi.{K3_CLOSE}{K3_END}", "Hi.", ""),
    ("kimi_k3", False, "stop", f"Hi.{K3_CLOSE}{K3_END}<|end_of_msg|>", "", "Hi."),
    ("minimax_m2", True, "stop", f"Hm.\n</think>\n\nHi.\n{M2_CALL}", "Hm.\n", f"\n\nHi.\n{M2_CALL}"),
    ("minimax_m3", True, "stop", f"Hm.</mm:think>Hi.{M3_CALL}", "Hm.", f"Hi.{M3_CALL}"),
    ("minimax_m3", False, "stop", "</mm:think>Hi.", "", "Hi."),
    ("gpt_oss", False, "stop", f"{ANALYSIS}Hm.{NEXT}{FINAL}Hi.<|return|>", "Hm.", "Hi."),
    ("gpt_oss", False, "stop", f"{FINAL}Hi.<|return|>", "", "Hi."),
    ("gpt_oss", False, "length", f"{ANALYSIS}Hm.{NEXT}{FINAL}Hi.", "Hm.", "Hi."),
    ("gpt_oss", False, "stop", f"{ANALYSIS}Hm.{NEXT}{CHANNEL_CALL}", "Hm.", CHANNEL_CALL),
    ("gpt_oss", False, "stop", f"{ANALYSIS}Hm.{NEXT}{ROLE_CALL}", "Hm.", f"<|start|>assistant{ROLE_CALL}"),
    ("gpt_oss", False, "stop", ROLE_CALL, "", ROLE_CALL),
    ("gpt_oss", False, "stop", f"{ANALYSIS}Hm.{NEXT}{PREAMBLE}So.{NEXT}{CHANNEL_CALL}", "Hm.", f"So.{CHANNEL_CALL}"),
    ("gpt_oss", False, "stop", f"{ANALYSIS}Hm.{NEXT}{ANALYSIS}Ah.{NEXT}{FINAL}Hi.<|return|>", "Hm.Ah.", "Hi."),
    ("gpt_oss", False, "stop", f"{PREAMBLE}So.{NEXT}{ANALYSIS}Hm.{NEXT}{FINAL}Hi.<|return|>", "Hm.", "So.Hi."),
    ("gpt_oss", False, "stop", f"{ANALYSIS}Hm.<|start|>assistant{FINAL}Hi.<|return|>", "Hm.", "Hi."),
    ("gemma4", False, "stop", "<|channel>thought\nHm.<channel|>Hi.", "Hm.", "Hi."),
    ("gemma4", False, "stop", f"<|channel>thought\nHm.{GEMMA_CALL}", "Hm.", GEMMA_CALL),
    ("gemma4", False, "stop", "<|channel>thought\n<channel|>Hi.", "", "Hi."),
    (
        "mistral",
        False,
        "stop",
        '[THINK]Hm.[/THINK]Hi.[TOOL_CALLS]f[ARGS]{"q": 1}',
        "Hm.",
        'Hi.[TOOL_CALLS]f[ARGS]{"q": 1}',
    ),
    ("step35", True, "stop", f"Hm.\n</think>\nHi.{XML_CALL}", "Hm.\n", f"\nHi.{XML_CALL}"),
    ("nemotron_v3", True, "stop", f"Hm.\n</think>\n{XML_CALL}\n", "Hm.\n", f"\n{XML_CALL}\n"),
    ("seed_oss", False, "stop", f"<seed:think>Hm.{BUDGET}Ah.</seed:think>\nHi.", f"Hm.{BUDGET}Ah.", "\nHi."),
    ("seed_oss", False, "stop", f"<seed:think>Hm.</seed:think>\n{SEED_CALL}", "Hm.", f"\n{SEED_CALL}"),
    ("command_r7b", False, "stop", f"<|START_THINKING|>Hm.<|END_THINKING|>{COHERE_CALL}", "Hm.", COHERE_CALL),
    (
        "command_r7b",
        False,
        "stop",
        "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Hi.<|END_RESPONSE|>",
        "Hm.",
        "Hi.",
    ),
    ("granite32", False, "stop", "Here is my thought process: Hm. Here is my response: Hi.", " Hm. ", " Hi."),
    ("granite32", False, "stop", "Here's my thought process:\nHm.\nHere's my response:\nHi.", "\nHm.\n", "\nHi."),
    ("granite32", False, "stop", 'Hi.<|tool_call|>[{"name": "f"}]', "", 'Hi.<|tool_call|>[{"name": "f"}]'),
    ("hermes", False, "stop", f"<think>\nHm.\n</think>\nHi.\n{QWEN_CALL}", "\nHm.\n", f"\nHi.\n{QWEN_CALL}"),
    ("hermes", False, "stop", QWEN_CALL, "", QWEN_CALL),
    ("qwen3_coder", False, "stop", f"Hi.\n{XML_CALL}", "", f"Hi.\n{XML_CALL}"),
    ("minimax_m1", False, "stop", f"<think>\nHm.\n</think>\nHi.\n{LINES_CALL}", "\nHm.\n", f"\nHi.\n{LINES_CALL}"),
    ("step3", True, "stop", f"Hm.\n</think>\nHi.{STEP3_CALL}", "Hm.\n", f"\nHi.{STEP3_CALL}"),
    (
        "nemotron_v2",
        True,
        "stop",
        f"Hm.\n</think>\n\n<TOOLCALL>{LIST_CALL}</TOOLCALL>",
        "Hm.\n",
        f"\n\n<TOOLCALL>{LIST_CALL}</TOOLCALL>",
    ),
    ("cohere2_moe", True, "stop", "Hm.<|END_THINKING|><|START_TEXT|>Hi.<|END_TEXT|>", "Hm.", "Hi."),
    ("cohere2_moe", True, "stop", f"Hm.{COHERE_CALL}", "Hm.", COHERE_CALL),
    ("cohere2_moe", False, "stop", "<|START_TEXT|>Hi.<|END_TEXT|>", "", "Hi."),
    ("granite33", False, "stop", "<think>Hm.</think> <response>Hi.</response>", "Hm.", " Hi."),
    ("granite33", False, "stop", f"<|tool_call|>{LIST_CALL}", "", f"<|tool_call|>{LIST_CALL}"),
    ("granite4", False, "stop", f"Hi. <think>\n{QWEN_CALL}", "", f"Hi. <think>\n{QWEN_CALL}"),
    ("hunyuan_a13b", False, "stop", "<think>\nHm.\n</think>\n<answer>\nHi.\n</answer>", "\nHm.\n", "\n\nHi.\n"),
    ("hunyuan_a13b", False, "stop", f"<think>\nHm.\n</think>\n{TOOLS_CALL}", "\nHm.\n", f"\n{TOOLS_CALL}"),
    ("hunyuan_v3", True, "stop", f"Hm.</think{HY}>Hi.{HY_CALL}", "Hm.", f"Hi.{HY_CALL}"),
    ("ernie45", True, "stop", "Hm.\n</think>\n\n<response>\nHi.\n</response>\n", "Hm.\n", "\n\n\nHi.\n\n"),
    ("ernie45", True, "stop", f"Hm.\n</think>\n\n{QWEN_CALL}\n", "Hm.\n", f"\n\n{QWEN_CALL}\n"),
    ("exaone4", True, "stop", f"Hm.\n</think>\n\nHi.{QWEN_CALL}", "Hm.\n", f"\n\nHi.{QWEN_CALL}"),
    ("lfm2", False, "stop", f"<think>Hm.</think>Hi.{LFM_CALL}So.", "Hm.", f"Hi.{LFM_CALL}So."),
    ("apertus", False, "stop", "<|inner_prefix|>Hm.<|inner_suffix|>Hi.", "Hm.", "Hi."),
    ("apertus", False, "stop", f"<|inner_prefix|>Hm.{INNER_CALL}Ah.<|inner_suffix|>Hi.", f"Hm.{INNER_CALL}Ah.", "Hi."),
    (
        "apertus",
        False,
        "stop",
        f"<|inner_prefix|>Hm.<|inner_suffix|>{INNER_CALL}<|inner_prefix|>Ah.<|inner_suffix|>Hi.",
        "Hm.Ah.",
        f"{INNER_CALL}Hi.",
    ),
    ("olmo3", True, "stop", "Hm.</think>Hi.", "Hm.", "Hi."),
    ("olmo3", False, "stop", OLMO_CALL, "", OLMO_CALL),
    ("smollm3", False, "stop", f"<think>\nHm.\n</think>\n{QWEN_CALL}", "\nHm.\n", f"\n{QWEN_CALL}"),
    ("muse_glimmer", False, "stop", f"{SELF}Hm.<|eom|>{HEADER}{USER}Hi.<|eot|>", "Hm.", "Hi."),
    (
        "muse_glimmer",
        False,
        "stop",
        f"{SELF}Hm.<|eom|>{HEADER}{SELF}Ah.<|eom|>{HEADER}{USER}Hi.<|eot|>",
        "Hm.Ah.",
        "Hi.",
    ),
    ("muse_glimmer", False, "stop", f"{SELF}Hm.{HEADER}{SELF}Ah.{HEADER}{USER}Hi.<|eot|>", "Hm.Ah.", "Hi."),
    ("muse_glimmer", False, "stop", "<|message|>Hi.<|eot|>", "", "Hi."),
    ("muse_glimmer", False, "stop", f"{SELF}Hm. {ATEM}<|eom|>{HEADER}{USER}Hi.<|eot|>", f"Hm. {ATEM}", "Hi."),
    ("muse_glimmer", False, "stop", f"{SELF}Hm.<|eom|>{HEADER}{MUSE_CALL}<|eot|>", "Hm.", f"{HEADER}{MUSE_CALL}"),
    (
        "muse_glimmer",
        False,
        "stop",
        f"{MUSE_CALL}<|eom|>{HEADER}{MUSE_CALL}<|eot|>",
        "",
        f"{MUSE_CALL}{HEADER}{MUSE_CALL}",
    ),
    ("llama3", False, "stop", '<|python_tag|>f.call(q="</think>")', "", '<|python_tag|>f.call(q="</think>")'),
    ("llama4", False, "stop", f"Hi.{PYTHON_CALL}", "", f"Hi.{PYTHON_CALL}"),
    ("phi4_reasoning", False, "stop", "<think>Hm.</think>Hi. <tool_call>", "Hm.", "Hi. <tool_call>"),
    ("phi4_mini", False, "stop", f"functools{LIST_CALL}", "", f"functools{LIST_CALL}"),
    ("phi4_mini", False, "stop", "<|tool_call|>{}<|/tool_call|>", "", "<|tool_call|>{}<|/tool_call|>"),
    ("interns1", False, "stop", f"<think>Hm.</think>Hi.{PLUGIN_CALL}", "Hm.", f"Hi.{PLUGIN_CALL}"),
    ("dots", False, "stop", f"<think>Hm.</think>{DOTS_CALL}", "Hm.", DOTS_CALL),
    ("ling3", True, "stop", f"Hm.</think>Hi.{ARGS_CALL}", "Hm.", f"Hi.{ARGS_CALL}"),
    ("ling3", True, "stop", f"Hm.{ARGS_CALL}", "Hm.", ARGS_CALL),
    ("mimo", False, "stop", f"<think>Hm.</think>Hi.{MIMO_CALL}", "Hm.", f"Hi.{MIMO_CALL}"),
    ("longcat", True, "stop", f"Hm.\n</longcat_think>\n{CAT_CALL}", "Hm.\n", f"\n{CAT_CALL}"),
    (
        "inkling",
        False,
        "stop",
        f"<|message_model|>{THINKING}Hm.{BLOCK}{TEXT}Hi.<|end_message|><|content_model_end_sampling|>",
        "Hm.",
        "Hi.",
    ),
    ("inkling", False, "stop", f"<|message_model|>{THINKING}Hm.{BLOCK}f{BLOCK_CALL}", "Hm.", f"f{BLOCK_CALL}"),
    ("laguna_xs", True, "stop", f"\nHm.\n</think>\nHi.\n{ARGS_CALL}", "\nHm.\n", f"\nHi.\n{ARGS_CALL}"),
    ("laguna_s", True, "stop", f"Hm.</think>{GLM47_CALL}", "Hm.", GLM47_CALL),
    ("k2_horizon", True, "stop", f"Hm.</ifm|think>Hi.{IFM_CALL}", "Hm.", f"Hi.{IFM_CALL}"),
    ("k2_horizon", True, "stop", f"Hm.</ifm|think_faster>Hi.{IFM_CALL}", "Hm.", f"Hi.{IFM_CALL}"),
    ("minicpm5", True, "stop", f"Hm.\n</think>\n\n{PARAM_CALL}", "Hm.\n", f"\n\n{PARAM_CALL}"),
    ("spark25", True, "stop", f"Hm.</think>Hi.{GLM47_CALL}", "Hm.", f"Hi.{GLM47_CALL}"),
    ("apriel15", False, "stop", "Hm.\n[BEGIN FINAL RESPONSE]\nHi.\n[END FINAL RESPONSE]\n", "Hm.\n", "\nHi.\n\n"),
    ("apriel15", False, "stop", f"Hi.\n{TOOLS_CALL}", "", f"Hi.\n{TOOLS_CALL}"),
    ("apriel16", True, "stop", f"Hm.\n[BEGIN FINAL RESPONSE]\n{TOOLS_CALL}", "Hm.\n", f"\n{TOOLS_CALL}"),
    ("solar_open", False, "stop", f"<|think|>Hm.{SOLAR_NEXT}<|content|>Hi.<|end|>", "Hm.", "Hi."),
    ("solar_open", False, "stop", f"<|think|>Hm.{SOLAR_NEXT}{SOLAR_CALL}", "Hm.", SOLAR_CALL),
    ("reka_edge", True, "stop", f"Hm.\n</think>\n\n{QWEN_CALL}", "Hm.\n", f"\n\n{QWEN_CALL}"),
    ("gigachat3", False, "stop", 'Hi.<|function_call|>{"name": "f"}', "", 'Hi.<|function_call|>{"name": "f"}'),
    (
        "gigachat3",
        False,
        "stop",
        "Hi.<|message_sep|>\n\nfunction call<|role_sep|>\n{}",
        "",
        "Hi.\n\nfunction call<|role_sep|>\n{}",
    ),
    ("gigachat35", True, "stop", f"Hm.</think>\n\n{GCML_CALL}", "Hm.", f"\n\n{GCML_CALL}"),
    ("functionary31", False, "stop", '<function=f>{"q": 1}</function>', "", '<function=f>{"q": 1}</function>'),
]


@pytest.mark.parametrize(("id", "opened", "finish", "raw", "reasoning", "content"), OUTPUTS)
def test_an_output_of_a_model_reads_as_its_author_meant_it(
    id: str, opened: bool, finish: Finish, raw: str, reasoning: str, content: str
) -> None:
    dialect = REGISTRY.get(id)
    request = Request(dialect=id, opened=opened, thinking=True)

    assert split(dialect, dialect.policy, request, raw, finish) == Message(reasoning, content)


def test_every_dialect_and_no_other_has_such_an_output() -> None:
    assert {output[0] for output in OUTPUTS} == set(IDS)


def test_every_set_of_roles_and_every_policy_has_a_representative() -> None:
    def kinds(ids: Iterable[str]) -> set[object]:
        dialects = [REGISTRY.get(id) for id in ids]
        return {tuple(dialect.markers) for dialect in dialects} | {dialect.policy for dialect in dialects}

    assert set(REPRESENTATIVES) <= set(IDS)
    assert kinds(REPRESENTATIVES) == kinds(IDS)


def test_the_readme_gives_the_roles_and_the_axes_with_their_values() -> None:
    lines = (corpora() / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    assert [role for role in ROLES if not any(row[0] == f"`{role}`" for row in rows)] == []
    for axis, values in AXES.items():
        listed = ", ".join(f"`{json.dumps(value) if isinstance(value, bool) else value}`" for value in values)
        assert [f"`{axis}`", listed, QUESTIONS[axis]] in rows


def test_the_readme_names_every_field() -> None:
    text = (corpora() / "README.md").read_text(encoding="utf-8")
    assert [field for field in SCHEMA["properties"] if f"| `{field}` |" not in text] == []
