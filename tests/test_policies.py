"""Facts about policies: their values, what is said of one that doesn't exist, and single differences."""

from __future__ import annotations

from typing import Any

import pytest

from oracles.policies import AXES, DEFAULT, QUESTIONS, Policy, PolicyError, check_values, one_at_a_time


def test_the_general_default_is_the_first_value_of_each_axis() -> None:
    assert dict(DEFAULT.values()) == {axis: values[0] for axis, values in AXES.items()}
    assert [axis for axis, _ in DEFAULT.values()] == list(AXES) == list(QUESTIONS)


def test_values_take_the_place_of_the_policy_s_own() -> None:
    changed = DEFAULT.with_values({"reopen": "opens", "calls_end_reasoning": False})
    assert changed == Policy(reopen="opens", calls_end_reasoning=False)
    assert changed.with_values({"reopen": "text"}) == Policy(calls_end_reasoning=False)
    assert DEFAULT.with_values({}) == DEFAULT


@pytest.mark.parametrize(
    ("values", "axis", "value", "message"),
    [
        (
            {"reopens": "text"},
            "reopens",
            None,
            "no policy axis is called 'reopens'; the axes are reopen, prefix, stray_close, declined, echoed_open, "
            "calls_end_reasoning, skipped_channel, unclosed, off, space",
        ),
        ({"off": "on"}, "off", "on", "axis 'off' has no value 'on'; its values are 'read', 'text'"),
        (
            {"calls_end_reasoning": "true"},
            "calls_end_reasoning",
            "true",
            "axis 'calls_end_reasoning' has no value 'true'; its values are True, False",
        ),
        (
            {"reopen": "text", "calls_end_reasoning": 1},
            "calls_end_reasoning",
            1,
            "axis 'calls_end_reasoning' has no value 1; its values are True, False",
        ),
    ],
)
def test_an_axis_or_a_value_that_does_not_exist_is_told(
    values: dict[str, Any], axis: str, value: Any, message: str
) -> None:
    for raising in (check_values, DEFAULT.with_values):
        with pytest.raises(PolicyError) as caught:
            raising(values)
        assert (caught.value.axis, caught.value.value, str(caught.value)) == (axis, value, message)


def test_every_value_of_every_axis_exists() -> None:
    for axis, values in AXES.items():
        for value in values:
            check_values({axis: value})


def test_a_policy_and_those_that_differ_from_it_in_one_axis() -> None:
    for policy in (DEFAULT, Policy(reopen="opens", skipped_channel="moved")):
        first, *others = one_at_a_time(policy)
        assert first == policy
        differing = [
            (axis, value) for other in others for axis, value in other.values() if value != getattr(policy, axis)
        ]
        assert differing == [
            (axis, value) for axis, values in AXES.items() for value in values if value != getattr(policy, axis)
        ]
        assert len(others) == len(differing)
    assert next(one_at_a_time()) == DEFAULT
