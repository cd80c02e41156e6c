"""The suite: ids and what they stand for are permanent."""

import re

import pytest

from privrl.environments import suite
from tests.contracts import digest, refused

# id, numbers of the environment, planned episodes, epsilon, beta: none of these may ever change
PERMANENT = {
    "vietri2020/riverswim-2-relabelled": ("ae742326b3a31f9b", 10**8, 1.0, 0.1),
    "vietri2020/riverswim-3": ("4c3207f5dd85ac14", 10**6, 1.0, 0.1),
    "vietri2020/riverswim-3-relabelled": ("639687cc8dae8ab7", 10**8, 1.0, 0.1),
    "vietri2020/riverswim-3-inhomogeneous": ("13c1a69fe17406fe", 10**6, 1.0, 0.1),
    "vietri2020/riverswim-6-h20": ("499dae8289d58f33", 10**5, 1.0, 0.1),
    "vietri2020/riverswim-6-h20-relabelled": ("1287bce507fca535", 10**5, 1.0, 0.1),
    "vietri2020/chain-3": ("a246213bf0ddcb59", 10**8, 1.0, 0.1),
    "vietri2020/random-3-2": ("71df8bfefb451aec", 10**6, 1.0, 0.1),
    "vietri2020/hard-2-2": ("be921ae53e1f8326", 10**6, 1.0, 0.1),
    "vietri2020/worst-3-2": ("4d2961c2ce0c1934", 10**5, 1.0, 0.1),
    "chowdhury2021/scalar": ("e23d524bbb60aec7", 10**6, 1.0, 0.1),
    "chowdhury2021/lq-2-1": ("f1385c7bebcc4139", 10**5, 1.0, 0.1),
    "chowdhury2021/lq-2-2": ("98d1724595a1088c", 10**5, 1.0, 0.1),
    "chowdhury2021/lq-4-2": ("71d3a844b7fc219b", 10**4, 1.0, 0.1),
    "liao2021/riverswim-3": ("4ac86edc57890a51", 10**4, 1.0, 0.01),
    "liao2021/riverswim-3-unscaled": ("ced6f7d7fafeda4b", 10**4, 1.0, 0.01),
    "liao2021/riverswim-3-inhomogeneous": ("05f7a2494f4713f1", 10**4, 1.0, 0.01),
    "liao2021/riverswim-3-relabelled": ("e1f02d4d639cea07", 10**4, 1.0, 0.01),
    "liao2021/riverswim-3-inhomogeneous-relabelled": ("5516206cea9f32b1", 10**4, 1.0, 0.01),
    "liao2021/hard-5-6": ("f3024ac8fb15bf76", 10**4, 1.0, 0.01),
    "liao2021/mixture-2": ("220353179362dd67", 10**6, 1.0, 0.01),
    "zhou2022/mixture-2": ("027872157deaa20a", 10**7, 1.0, 0.1),
    "zhou2022/riverswim-3": ("ced6f7d7fafeda4b", 10**5, 1.0, 0.1),
    "zhou2022/riverswim-3-relabelled": ("15df2e811355d40f", 10**5, 1.0, 0.1),
}


def test_every_permanent_id_stands_for_what_it_did() -> None:
    for identifier, facts in PERMANENT.items():
        entry = suite.entry(identifier)
        assert (
            digest(suite.environment(identifier)),
            entry.episodes,
            entry.epsilon,
            entry.beta,
        ) == facts, identifier


def test_every_id_is_among_the_permanent_ones() -> None:
    """A new entry of one of these papers is pinned here on the day it is made; those of a new paper
    when it is released."""
    pinned = {identifier.partition("/")[0] for identifier in PERMANENT}
    assert pinned == {"vietri2020", "chowdhury2021", "liao2021", "zhou2022"}
    ids = [identifier for identifier in suite.ids() if identifier.partition("/")[0] in pinned]
    assert ids == list(PERMANENT)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("vietri2020/riverswim-3-relabeled", "vietri2020/riverswim-3-relabelled"),
        ("riverswim-3", "vietri2020/riverswim-3"),
        ("vietri2020/chain", "vietri2020/chain-3"),
        ("VIETRI2020/HARD-2-2", "vietri2020/"),
        ("", "vietri2020/"),
    ],
)
def test_an_unknown_id_is_refused_with_the_nearest(wrong: str, meant: str) -> None:
    message = refused(lambda: suite.entry(wrong))
    assert re.fullmatch(
        rf"id must be one of the suite's \(nearest: .+\), got id='{wrong}'", message
    )
    assert meant in message
