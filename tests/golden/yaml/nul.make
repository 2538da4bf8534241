# as yml
printf "command:\n  - allow: git\\000status\n"
