"""What a session's file and a mechanism's look like, byte for byte but for the numbers in them: a
list that is committed, and that the run with the oldest packages was made for.

``python -m tests.privrl.online.test_layout`` writes it anew.
"""

import io
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl import LinOptVI, Mechanism, PrivateOFURL, PrivateUCBVI, Session, online
from privrl.privacy import journal, snapshot
from privrl.privacy.counters import mechanisms

COMMITTED = Path(__file__).with_name("layout.txt")
FIRST_LINE = re.compile(rb"[0-9a-f]{64} [0-9]+\n")
MEMBER = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}


def layout(path: Path) -> list[str]:
    """A line for the header, one for each array in the order of its name, one for each record."""
    content = path.read_bytes()
    header = FIRST_LINE.match(content)
    assert header is not None
    length = int(header[0].split()[1])
    lines = ["SHA-256 and length of the arrays, in a line"]
    with zipfile.ZipFile(io.BytesIO(content[header.end() : header.end() + length])) as arrays:
        for member in sorted(arrays.infolist(), key=lambda member: member.filename):
            with arrays.open(member) as file:
                version = np.lib.format.read_magic(file)
                assert version == (1, 0)
                shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
            words = [member.filename, "text" if dtype.kind == "U" else dtype.str]
            words += [f"axes: {len(shape)}", MEMBER[member.compress_type]]
            lines.append(", ".join(words + ["by columns"] * fortran))
    rest = content[header.end() + length :]
    while rest:
        size, _ = journal.RECORD_HEADER.unpack(rest[: journal.RECORD_HEADER.size])
        payload = rest[journal.RECORD_HEADER.size :][:size]
        lines.append(
            f"record: {journal.RECORD_HEADER.format}, {payload[:1].decode()} and {size - 1} bytes, "
            f"{journal.DIGEST} of SHA-256"
        )
        rest = rest[journal.RECORD_HEADER.size + size + journal.DIGEST :]
    return lines


TABULAR = online.tabular(states=2, actions=2, horizon=3)
MIXTURE = online.mixture(
    psi=np.full((2, 2, 2, 2), 0.5),
    varphi=np.full((2, 2, 2), 0.5),
    horizon=2,
    initial=np.array([1.0, 0.0]),
    theta_p_bound=1.0,
    theta_r_bound=1.0,
)
WIDE = snapshot.LARGE // 8  # sums that are compressed
LQ = online.lq(Q=np.array([[2.0]]), R=np.eye(1), start=np.ones(1), horizon=2, gamma=0.58, c_w=0.15)
SESSIONS: tuple[
    tuple[Any, Any], ...
] = (  # a counter whose matrix is whole, one that filters its draws, and none at the server
    (PrivateUCBVI(1.0, 1e-6, counter="tree"), TABULAR),
    (PrivateUCBVI(1.0, 1e-6, counter="blt"), TABULAR),
    (PrivateUCBVI(1.0, 1e-6, counter="local"), TABULAR),
    (LinOptVI(1.0, calibration="tight"), MIXTURE),
    (PrivateOFURL(1.0, calibration="tight"), LQ),
)


def layouts(folder: Path) -> str:
    """Of sessions of each family, the tabular ones after a user between two plans, and of a
    mechanism over each counter, after a release; and of one of many sums."""
    sections: list[list[str]] = []
    for number, (agent, problem) in enumerate(SESSIONS):
        path, tabular = folder / f"session{number}", problem is TABULAR
        session = Session(agent, problem, users=8, every=4 if tabular else 1, path=path)
        if tabular and agent.counter != "local":  # devices send rows of their own
            session.observe(([0, 1, 0, 1], [0, 1, 0], [0.0, 0.25, 1.0]))
        sections.append([f"session, {agent.name}, {agent.counter}", *layout(path)])
    calls = [
        (counter, law, 2)
        for counter in mechanisms.EXACT
        for law in mechanisms.laws(counter)
        if counter != "none"
    ]
    for counter, law, width in (*calls, ("tree", "gaussian", WIDE)):
        mechanism = Mechanism.make(
            counter,
            width=width,
            releases=3,
            change=1.0,
            epsilon=1.0,
            delta=1e-6 if law == "gaussian" else 0.0,
        )
        path = folder / f"{counter}-{law}-{width}"
        mechanism.save(path)
        mechanism.add(np.eye(1, width)[0] / 2)
        if width < WIDE:
            mechanism.release()
        sections.append([f"mechanism, {counter}, {law}, {width} sums", *layout(path)])
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def test_files_look_as_those_that_the_oldest_packages_were_tried_with(tmp_path: Path) -> None:
    assert layouts(tmp_path) == COMMITTED.read_text("utf-8"), (
        "write the list anew (python -m tests.privrl.online.test_layout), then run `make lower`"
    )


def test_another_array_and_another_record_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, problem = SESSIONS[0]
    seen, agreed = [], Session._agreed
    for number, planted in enumerate((None, "array", "type", "record")):
        with monkeypatch.context() as change:
            if planted in ("array", "type"):
                more = (
                    {"version": np.array(2)}
                    if planted == "array"
                    else {"scales": np.zeros(1, "f4")}
                )
                change.setattr(Session, "_agreed", lambda self, more=more: agreed(self) | more)
            if planted == "record":
                change.setattr(journal, "NUMBER", np.dtype("<f4"))
            path = tmp_path / f"{number}"
            session = Session(agent, problem, users=8, every=4, path=path)
            session.observe(([0, 1, 0, 1], [0, 1, 0], [0.0, 0.25, 1.0]))
            seen.append(layout(path))
    assert [lines != seen[0] for lines in seen] == [False, True, True, True]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as written:
        COMMITTED.write_text(layouts(Path(written)), "utf-8")
