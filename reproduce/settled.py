"""For pytest's ``-p``: the surroundings of :mod:`reproduce.environment`, before pytest imports its
plugins."""

from reproduce import environment

environment.settle()
