"""Stored replicates: what is written is read again to the bit, and what has been damaged is seen,
said and left out."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from privrl.run import store
from privrl.run.store import Store

SETTINGS = {
    "id": "vietri2020/chain-3",
    "planned": 1000,
    "epsilon": "1.0",
    "versions": {"numpy": "2"},
}
REGRET = np.array([0.1, 1 / 3, 1e-300, 12345.678])


@pytest.fixture
def stored_replicate(tmp_path: Path) -> tuple[Store, Path, list[str]]:
    """A store with one replicate, its file, and what the store has said."""
    messages: list[str] = []
    storage = Store(tmp_path / "replicates", messages.append)
    storage.save(SETTINGS, REGRET)
    return storage, storage.path(SETTINGS), messages


@given(
    regret=nps.arrays(
        np.float64, st.integers(0, 30), elements=st.floats(allow_nan=False, allow_infinity=False)
    )
)
@settings(max_examples=25)
def test_what_is_saved_is_loaded_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory, regret: np.ndarray
) -> None:
    storage = Store(tmp_path_factory.mktemp("store"), pytest.fail)
    storage.save(SETTINGS, regret)
    assert storage.load(SETTINGS).tobytes() == regret.tobytes()


def test_the_key_is_made_of_every_setting_and_not_of_their_order() -> None:
    assert Store.key(SETTINGS) == Store.key(dict(reversed(SETTINGS.items())))
    others: list[dict[str, Any]] = [{**SETTINGS, name: "other"} for name in SETTINGS]
    others += [{**SETTINGS, "more": 0}, {**SETTINGS, "planned": 1001}, {}]
    assert len(
        {Store.key(changed_settings) for changed_settings in [SETTINGS, *others]}
    ) == 1 + len(others)


def test_damage_is_seen_wherever_it_is(stored_replicate: tuple[Store, Path, list[str]]) -> None:
    storage, path, messages = stored_replicate
    sound = path.read_bytes()
    flipped = [
        sound[:at]
        + bytes([sound[at] ^ 1 << 3 * at % 8])
        + sound[at + 1 :]  # over the file, each of the bits
        for at in range(len(sound))
    ]
    # 0: the file is empty
    short = [sound[:length] for length in (*range(0, len(sound), 4), len(sound) - 1)]
    for damaged in (*flipped, *short):
        path.write_bytes(damaged)
        assert storage.load(SETTINGS) is None
    assert len(messages) == len(flipped) + len(short)
    assert set(messages) == {f"the stored replicate {path.name} is damaged and is computed again"}
    path.write_bytes(sound)
    assert np.array_equal(storage.load(SETTINGS), REGRET)  # type: ignore[arg-type]


ROW = {"settings": SETTINGS, "regret": ["0x1p+0"], "sha256": store._checksum(["0x1p+0"])}


@pytest.mark.parametrize(
    "content",
    [
        "null",
        "[]",
        "{}",
        "3",
        '"text"',
        "[" * 100_000,
        json.dumps({**ROW, "regret": ["0x1p+99999"], "sha256": store._checksum(["0x1p+99999"])}),
        json.dumps({**ROW, "regret": [1.0]}),
        json.dumps({**ROW, "regret": None}),
        json.dumps({**ROW, "regret": {}}),
        json.dumps({**ROW, "sha256": None}),
        json.dumps({**ROW, "settings": {**SETTINGS, "planned": 7}}),
        json.dumps({key: value for key, value in ROW.items() if key != "settings"}),
    ],
    ids=lambda content: content[:12],
)
def test_a_file_that_holds_something_else_is_seen(
    stored_replicate: tuple[Store, Path, list[str]], content: str
) -> None:
    storage, path, messages = stored_replicate
    path.write_text(content, encoding="utf-8")
    assert storage.load(SETTINGS) is None
    assert len(messages) == 1


def test_the_checks_would_miss_a_store_without_a_checksum(
    stored_replicate: tuple[Store, Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, path, _ = stored_replicate
    monkeypatch.setattr(store, "_checksum", lambda values: "the same for all")
    storage.save(SETTINGS, REGRET)
    changed = path.read_text(encoding="utf-8").replace("0x1.999999999999a", "0x1.999999999999b")
    path.write_text(changed, encoding="utf-8")
    assert storage.load(SETTINGS)[0] == math.nextafter(0.1, 1)


def test_a_write_that_is_interrupted_leaves_what_was_there(
    stored_replicate: tuple[Store, Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, path, _ = stored_replicate

    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        storage.save(SETTINGS, REGRET * 2)
    assert list(storage.folder.iterdir()) == [path]
    assert np.array_equal(storage.load(SETTINGS), REGRET)  # type: ignore[arg-type]
