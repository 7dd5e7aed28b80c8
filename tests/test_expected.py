"""Facts about lists of expected failures."""

import pytest

from conformance.expected import FIXED, ExpectedError, changes, parse, rewrite, standing
from conformance.verdicts import Verdict, Violation

KNOWN = {
    f"{dialect}::{check}" for dialect in ("qwen3", "glm45") for check in ("nothing-lost", "order-kept", "cost-linear")
}


def verdict(id: str, outcome: str = "pass", title: str = "second block") -> Verdict:
    dialect, _, check = id.partition("::")
    violation = Violation(check, "must", dialect, True, True, "stop", (), "qwen3:x", kind_title=title)
    failed = violation if outcome == "fail" else None
    advice = violation if outcome == "advice" else None
    return Verdict("mine", "1", dialect, check, outcome, failed, advice)


def test_a_line_is_an_id_and_a_reason():
    expected = parse("# head\n\nqwen3::nothing-lost  # loses # signs\n", KNOWN)
    line = expected.by_id["qwen3::nothing-lost"]
    assert (line.number, line.reason) == (3, "loses # signs")
    assert [one.id for one in expected.lines] == [None, None, "qwen3::nothing-lost"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "qwen4::nothing-lost",
            "f, line 1: the implementation is not judged by a dialect 'qwen4' (did you mean 'qwen3'?)",
        ),
        ("\nqwen3::nothing-lst # x", "f, line 2: qwen3 has no check 'nothing-lst' (did you mean 'nothing-lost'?)"),
        ("qwen3", "f, line 1: 'qwen3' is no id; write dialect::check  # reason"),
        ("qwen3::nothing-lost x", "f, line 1: 'qwen3::nothing-lost x' is no id; write dialect::check  # reason"),
        (
            "qwen3::order-kept\nqwen3::order-kept",
            "f, line 2: qwen3::order-kept stands on line 1 already; keep one of the two",
        ),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_the_nearest_id(text, told):
    with pytest.raises(ExpectedError) as raised:
        parse(text, KNOWN, "f")
    assert str(raised.value) == told


def test_every_bad_line_is_named():
    with pytest.raises(ExpectedError) as raised:
        parse("a\nb\n", KNOWN, "f")
    assert str(raised.value).count("line") == 2


@pytest.mark.parametrize(
    ("outcome", "listed", "strict", "stands"),
    [
        ("pass", False, False, "passed"),
        ("pass", True, False, "listed pass"),
        ("fail", False, False, "failed"),
        ("fail", True, False, "expected"),
        ("advice", False, False, "passed"),
        ("advice", True, False, "listed pass"),
        ("advice", False, True, "failed"),
        ("advice", True, True, "expected"),
        ("skip", False, False, "skipped"),
        ("skip", True, False, "listed skip"),
        ("unjudged", False, False, "unjudged"),
        ("unjudged", True, False, "unjudged"),
    ],
)
def test_an_item_stands_by_its_outcome_and_the_list(outcome, listed, strict, stands):
    assert standing(outcome, listed, strict) == stands


def test_fix_puts_right_what_only_the_list_had_wrong():
    assert {"failed", "listed pass", "listed skip"} == set(FIXED)


def test_rewriting_keeps_comments_reasons_and_order():
    text = "# mine\nqwen3::order-kept  # known\n\n# more\nglm45::nothing-lost#why\n"
    found = {id: verdict(id, "fail") for id in ("qwen3::order-kept", "glm45::nothing-lost")}
    assert rewrite(parse(text, KNOWN), found) == text


def test_rewriting_drops_what_passes_and_what_is_skipped():
    text = "qwen3::order-kept  # a\nqwen3::nothing-lost  # b\nglm45::order-kept  # c\n"
    found = {
        "qwen3::order-kept": verdict("qwen3::order-kept"),
        "qwen3::nothing-lost": verdict("qwen3::nothing-lost", "skip"),
        "glm45::order-kept": verdict("glm45::order-kept", "fail"),
    }
    assert rewrite(parse(text, KNOWN), found) == "glm45::order-kept  # c\n"


def test_a_new_line_stands_beside_its_dialect_with_the_kind_for_a_reason():
    text = "qwen3::order-kept  # a\n# glm\nglm45::order-kept  # c\n"
    ids = ("qwen3::order-kept", "qwen3::cost-linear", "glm45::order-kept")
    found = {id: verdict(id, "fail") for id in ids}
    assert rewrite(parse(text, KNOWN), found) == (
        "qwen3::order-kept  # a\nqwen3::cost-linear  # second block\n# glm\nglm45::order-kept  # c\n"
    )


def test_a_reason_is_one_line():
    id = "qwen3::order-kept"
    assert rewrite(parse("", KNOWN), {id: verdict(id, "fail", "a\nb")}) == f"{id}  # a b\n"


def test_advice_is_listed_only_in_strict_runs():
    id = "qwen3::order-kept"
    assert rewrite(parse("", KNOWN), {id: verdict(id, "advice")}) == ""
    assert rewrite(parse("", KNOWN), {id: verdict(id, "advice")}, strict=True) == f"{id}  # second block\n"


def test_a_line_that_was_not_judged_stays():
    text = "qwen3::order-kept  # a\n"
    assert rewrite(parse(text, KNOWN), {}) == text


def test_what_is_rewritten_reads_back_and_is_true():
    found = {id: verdict(id, "fail" if "lost" in id else "pass") for id in sorted(KNOWN)}
    text = rewrite(parse("qwen3::order-kept\n", KNOWN), found)
    assert set(parse(text, KNOWN).by_id) == {"qwen3::nothing-lost", "glm45::nothing-lost"}
    assert rewrite(parse(text, KNOWN), found) == text


def test_changes_are_counted_by_id():
    expected = parse("qwen3::order-kept # a\n", KNOWN)
    assert changes(expected, "qwen3::order-kept # other\n") == (0, 0)
    assert changes(expected, "# x\nglm45::order-kept\n") == (1, 1)
