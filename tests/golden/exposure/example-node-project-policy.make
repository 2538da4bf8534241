cat ../../../examples/node-project/policy.pol
