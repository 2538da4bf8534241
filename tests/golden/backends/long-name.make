printf 'policy %0300d { }\ntest "t" { command "x" => ask }\n' 0 | sed 's/policy 0/policy a/'
