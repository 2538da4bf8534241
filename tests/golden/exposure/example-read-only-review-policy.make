cat ../../../examples/read-only-review/policy.pol
