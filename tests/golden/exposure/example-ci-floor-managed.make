cat ../../../examples/ci-floor/managed.pol
