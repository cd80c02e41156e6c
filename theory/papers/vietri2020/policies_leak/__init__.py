"""What actions tell of the counters under PUCB's printed noise: adversaries against theorem 1."""
