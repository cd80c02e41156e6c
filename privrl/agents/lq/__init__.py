from privrl.agents.kind import Kind

_CERTAIN = (("planner", "certainty-equivalent"),)
KINDS = (
    Kind("private-ofu-rl", "privrl.agents.lq.private_ofu_rl", "PrivateOFURL", "tree"),
    Kind("ofu-rl", "privrl.agents.lq.ofu_rl", "OFURL", "none"),
    Kind("private-ce", "privrl.agents.lq.private_ofu_rl", "PrivateOFURL", "tree", _CERTAIN),
    Kind("ce", "privrl.agents.lq.ofu_rl", "OFURL", "none", _CERTAIN),
)
