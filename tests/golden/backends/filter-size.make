echo 'syscall {'
for ((i = 0; i < 1500; i++)); do echo "deny ioctl($i, $((i * 7 + 1)))"; done
echo '}'
