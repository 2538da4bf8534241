# as yml
# shows: what could end a line is no part of a text
printf '# plain \342\200\250filesystem: {readAccess: anywhere}\n# old \rnetwork: full\n# next \302\205env: {A: b}\ncommand:\n  - allow: "a\\Lb"\n'
