for ((i = 0; i < 65600; i++)); do echo 'env { }'; done
