# as yml
printf 'let: {a: '
head -c 10000 /dev/zero | tr '\0' '['
