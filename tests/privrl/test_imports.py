"""What a process loads that only runs replicates, as every worker does, and what it loads before it
gives advice."""

import subprocess
import sys
from types import ModuleType

import pytest

import privrl

SLOW = {"pandas", "matplotlib", "sympy"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "slow"),
    [
        ("import privrl.run.sweep", SLOW | {"scipy.optimize", "scipy.signal", "scipy.stats"}),
        (
            (
                "from privrl.cli.advise import advise; advise(['--states', '3', '--actions', "
                "'2', '--horizon', '3'], standalone_mode=False)"
            ),
            SLOW | {"joblib", "dask", "rich", "mpmath", "opendp"},
        ),
    ],
)
def test_no_slow_library_is_loaded(program: str, slow: set[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; {program}; print({slow} & set(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines()[-1] == "set()"


def test_every_name_of_the_stub_is_there_and_is_what_it_says() -> None:
    for name in privrl.__all__:
        value = getattr(privrl, name)
        place = value.__name__ if isinstance(value, ModuleType) else f"{value.__module__}.{name}"
        assert place.removesuffix(f".{name}") == privrl._PLACES[name], name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        privrl.nothing  # noqa: B018  # asked for, as a mistyped name would be
