# as yml
printf 'let:\n  a:\n    '
for _ in $(seq 10000); do printf -- '- '; done
echo x
