from privrl.agents.kind import Kind

KINDS = (
    Kind("ldp-ucrl-vtr", "privrl.agents.linear.ldp_ucrl_vtr", "LDPUCRLVTR", "local"),
    Kind("ucrl-vtr", "privrl.agents.linear.ucrl_vtr", "UCRLVTR", "none"),
    Kind("linopt-vi", "privrl.agents.linear.linopt_vi", "LinOptVI", "tree"),
    Kind("linopt-po", "privrl.agents.linear.linopt_po", "LinOptPO", "tree"),
)
