"""Every claim's verdict, pinned: a verdict that changes must be changed here too, by hand."""

EXPECTED = {
    "vietri2020": {
        "holds": (
            "example-jdp lemma-2 adaptivity claim-2 lemma-11 lemma-22"
        ),
        "holds corrected": (
            "section-2.3 algorithm-2 equation-e-epsilon algorithm-3 theorem-1 claim-1 theorem-5 theorem-6 "
            "lemma-7 lemma-8 lemma-9 equation-42 lemma-10 algorithm-5 theorem-12 equation-5 equation-15 "
            "equation-17 lemma-13 theorem-14 lemma-15 lemma-16 lemma-17 lemma-18 lemma-19 lemma-20 lemma-23"
        ),
        "unspecified": (
            "theorem-3 theorem-4 lemma-21"
        ),
    },
    "chowdhury2021": {
        "holds": (
            "equation-5 tree-levels adaptivity equation-noise-1 equation-noise-2 lemma-3 lemma-10 lemma-11 "
            "lemma-12 lemma-13"
        ),
        "holds corrected": (
            "equation-4 lemma-1 equation-9 theorem-2 sensitivity lemma-2 lemma-6 claim-1 claim-2 lemma-9"
        ),
        "unspecified": (
            "theorem-1 theorem-3 lemma-7 lemma-8"
        ),
    },
    "liao2021": {
        "holds": (
            "lemma-3.8 adaptivity"
        ),
        "holds corrected": (
            "equation-3.1 example-3.3 example-3.4 algorithm-1-sigma theorem-5.1 theorem-5.2 equation-5.1 "
            "lemma-5.4 lemma-5.5 theorem-5.6 section-6.2-sigma"
        ),
        "unspecified": (
            "section-6.2-beta"
        ),
    },
    "zhou2022": {
        "holds": (
            "equation-3 adaptivity lemma-7.2 equation-6 lemma-B.2 lemma-B.3 lemma-B.4 lemma-B.5"
        ),
        "holds corrected": (
            "lemma-3.1 algorithm-1 theorem-5.1 algorithm-2 lemma-6.1 theorem-6.4 theorem-6.5 lemma-B.1"
        ),
        "unspecified": (
            "theorem-4.1"
        ),
    },
}
