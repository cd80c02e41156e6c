"""The command line as the tests call it: in this process, its refusals and its answers read."""

import json
import sys
from typing import Any

from click.testing import CliRunner, Result

from privrl import cli

ID = "vietri2020/riverswim-3"
RIVER = "vietri2020/riverswim-3-relabelled"
PROCESS = [sys.executable, "-m", "privrl"]
COMMANDS = cli.main.commands


def call(*args: str) -> Result:
    """Run the command line in this process; whatever but an exit is an error of the test."""
    result = CliRunner().invoke(cli.main, list(args), prog_name="privrl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refusal(*args: str) -> str:
    """The one sentence with which a request is refused."""
    result = call(*args)
    assert result.exit_code == 2, (args, result.output)
    assert result.stdout == ""
    assert result.stderr.startswith("privrl: ")
    assert result.stderr.endswith("\n")
    sentence = result.stderr[len("privrl: ") : -1]
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    assert 10 < len(sentence) <= 300
    return sentence


def answer(*args: str) -> Any:
    """What ``--json`` prints, read."""
    result = call(*args, "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)
