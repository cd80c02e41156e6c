"""What kinds of problems there are: an entry of the suite is of one, and an agent says which it
plays. A paper with problems of its own has a name of its own for them, which stands in no list."""

TABULAR = "tabular"
KNOWN_REWARDS = "linear mixture, known rewards"
UNKNOWN_REWARDS = "linear mixture, unknown rewards"
LQ = "lq"
