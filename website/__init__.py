"""The ledger as a place to visit: a static site that is made from the repository alone and read without a network."""
