echo 'env {'
for ((i = 0; i < 4100; i++)); do echo "set A$i = \"x\""; done
echo '}'
