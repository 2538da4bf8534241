. "$(dirname "$0")/../lib/live.sh"; POLO=/var/tmp/found.runs/olddev
policy "file { allow read, write, exec \"\${PROJECT_DIR}\"
 allow read, write \"$WORK/native\"
 deny write \"\${PROJECT_DIR}/deploy/run.sh\" }"
cat >hold.py <<'E2'
import os,sys,time
fd=os.open(sys.argv[1],os.O_RDWR|os.O_CREAT)
open('has','w').close()
while not os.path.exists('moved'): time.sleep(.02)
time.sleep(2.5)
os.pwrite(fd,b'EVIL',0); open('wrote','w').close()
E2
mkdir $WORK/native
git init -q .
for o in $POLO/bin $BIN; do for n in CLAUDE.md deploy/run.sh .git/hooks/pre-commit .envrc .vscode/tasks.json sub/x; do rm -rf has moved wrote CLAUDE.md deploy .envrc .vscode .git/hooks/pre-commit; mkdir -p sub
 timeout 10 $o/polrun -q -b $WORK/p.polb python3 hold.py $WORK/native/draft >/dev/null 2>e </dev/null & pid=$!
 within 10 test -e has; mkdir -p $(dirname $n); mv $WORK/native/draft $n; touch moved; wait $pid; echo "$(basename $(dirname $o)) $n rc=$? $(cat $n) $(cat e)"; done; done
for o in $POLO/bin $BIN; do echo "time $o"; time (for i in 1 2 3 4 5 6 7 8 9 10; do $o/polrun -q -b $WORK/p.polb true; done);  time $o/polrun -q -b $WORK/p.polb python3 -c '
for i in range(6000): open("f%d"%i,"w").close()
import os
for i in range(6000): os.unlink("f%d"%i)'; done
t x; done_
