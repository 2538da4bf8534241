# as yml
printf "command:\n  - allow: \\377\n"
