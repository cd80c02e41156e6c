"""``python -m reproduce``: compare, or with ``--update`` rewrite."""

from reproduce.making import main

main()
