# as yml
printf "\\357\\273\\277command:\\r\\n  - allow: git status\\r\\n  - {deny: [\x27curl:*\x27,\\r\\n      wget x]}\\r\\n"
