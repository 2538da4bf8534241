# a list of a million and some values
echo 'let x = ['
yes '"a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a",' | head -n 66000
echo '"a"]'
