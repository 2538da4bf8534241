cat ../../../examples/libpol/policy.pol
