# shows: what could end a line is no part of a text
printf 'command {\r\n    allow "ls" # all but\r    deny "ls -la"\n    deny "a\342\200\251b" # \f\n}\n'
