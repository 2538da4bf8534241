cat ../../../examples/demo/network.pol
