# as yml
yes -- '- allow: "a command that fills the file up to a hundred megabytes"' | head -c 104857600
