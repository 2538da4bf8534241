# masks of one argument that overlap: their products do not end
echo 'syscall {'
for ((i = 0; i < 200; i++)); do
	echo "deny ioctl when fd & $((1 << (i % 31))) == $((1 << (i % 31))) and request & $((3 << (i % 29)))"
done
echo '}'
