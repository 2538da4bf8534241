# Ranges of ports that all cross each other.
echo 'network limited {'
awk 'BEGIN { for (i = 1; i <= 12000; i += 100) {
	printf "\tdeny tcp port %d-60000", i
	for (k = 1; k < 100; k++) printf ", %d-60000", i + k
	printf " as r%d\n", i } }'
echo '}'
