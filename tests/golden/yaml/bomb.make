# as yml
# nine lists of ten aliases each: a billion values in some bytes
echo "let:"
echo "  a0: &a0 [x, x, x, x, x, x, x, x, x, x]"
for i in 1 2 3 4 5 6 7 8; do
	p="*a$((i - 1))"
	echo "  a$i: &a$i [$p, $p, $p, $p, $p, $p, $p, $p, $p, $p]"
done
