# as yml
printf "command:\n  - allow: a\\033b\n"
