"""Everything that is derived, made again and compared with what is committed: ledger, figures,
README, notebooks."""
