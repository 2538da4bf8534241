yes '# a comment that fills the file up, line by line, to more than it may have' | head -c 17000000
