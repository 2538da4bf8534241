cat ../../../examples/demo/policy.pol
