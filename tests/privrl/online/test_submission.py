"""What clients send: taken as it stands, or refused in one sentence."""

import json
from typing import Any

import pytest

from privrl import PrivateUCBVI, online

GOOD: dict[str, Any] = {
    "user": 0,
    "plan": 0,
    "states": [0, 1, 1],
    "actions": [1, 0],
    "rewards": [0, 0.5],
}


def test_what_is_parsed_are_the_arguments_of_a_session() -> None:
    submission = online.parse(json.dumps(GOOD | {"more": "is not read"}))
    assert submission == (([0, 1, 1], [1, 0], [0, 0.5]), 0, 0)
    known = online.tabular(states=2, actions=2, horizon=2)
    session = online.Session(PrivateUCBVI(1.0), known, users=9, noise="simulated", seed=1)
    assert session.observe(*submission) and session.users == 1
    assert not session.observe(*online.parse(json.dumps(GOOD).encode("utf-16")))
    vectors = online.parse(json.dumps(GOOD | {"states": [[0.5, 0]] * 3}))
    assert vectors.trajectory[0] == [[0.5, 0]] * 3


def _with(**fields: Any) -> str:
    return json.dumps(GOOD | fields)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "a submission must be bytes or text, got text=None"),
        (b"", "a submission must be JSON: Expecting value"),
        (b"\xff", "a submission must be JSON: 'utf-8' codec"),
        (b"{", "a submission must be JSON: Expecting property name"),
        (b'{"user": 1, "user": 2}', "an object must have each name once, got name='user'"),
        (_with(user=0).replace('"plan"', '"user"'), "each name once, got name='user'"),
        (_with(more=[{"a": 0, "b": 0}]).replace('"b"', '"a"'), "once, got name='a'"),
        (b"[" * 9999, "a submission must be JSON of few levels"),
        (b" " * (online.LONGEST + 1), "must have at most 100000 bytes, got bytes=100001"),
        ("9" * 5000, "a submission must be JSON: a whole number must have at most 310 digits"),
        (_with(user=-(10**400)), "a whole number must have at most 310 digits"),
        ("null", "must be an object of user, plan, states, actions, rewards, got kind='null'"),
        ("[]", "rewards, got kind='list'"),
        ('{"user": 0}', "rewards, got missing='plan, states, actions, rewards'"),
        (_with(user=0.0), "user must be a whole number, got user=0.0"),
        (_with(user=True), "user must be a whole number, got user=True"),
        (_with(user=None), "user must be a whole number, got kind='null'"),
        (_with(plan=[[]]), "plan must be a whole number, got kind='list'"),
        (_with(user=1).replace("1,", "1e999,", 1), "user must be a whole number, got user=inf"),
        (_with(states={}), "states must be a list of finite numbers, or of vectors of them, got"),
        (_with(states="012"), "states must be a list of finite numbers.*, got states='012'"),
        (_with(states=[0, True, 0]), "states must be a list of finite numbers"),
        (_with(states=[[[0]]]), "states must be a list of finite numbers"),
        (_with(rewards=[10**305]), "rewards must be a list of finite numbers"),
        (_with(actions=[float("nan")]), "a submission must be JSON: NaN is no number"),
        (_with(actions=[1, 0]).replace("[1,", "[1e999,"), "actions must be a list of finite"),
    ],
)
def test_what_is_no_submission_is_refused(text: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        online.parse(text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200
