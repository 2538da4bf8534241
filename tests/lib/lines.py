"""Asks about many lines at once: are the answers those of the rows?

    lines.py BIN BUNDLE PROJECT SCOPE [EXPLAINED] <ROWS

A row is "EFFECT LINE".  polquery answers all of them; polc explain, which starts once for each line,
every EXPLAINED-th.  Prints the rows with another answer.
"""
import json
import subprocess
import sys


def main():
    bin_dir, bundle, project, scope = sys.argv[1:5]
    every = int(sys.argv[5]) if len(sys.argv) > 5 else 3
    rows = [row.split(" ", 1) for row in sys.stdin.read().splitlines() if row]
    asked = "".join(json.dumps({"kind": "command", "scope": scope, "line": line, "cwd": project,
                                "project": project}) + "\n" for _, line in rows)
    told = subprocess.run([bin_dir + "/polquery", "-b", bundle], input=asked, capture_output=True,
                          text=True, check=False).stdout.splitlines()
    if len(told) != len(rows) or not rows:
        print("%d answers to %d lines" % (len(told), len(rows)))
    for n, ((want, line), answer) in enumerate(zip(rows, told)):
        got = {"polquery": json.loads(answer).get("effect", "error")}
        if n % every == 0:
            got["explain"] = subprocess.run(
                [bin_dir + "/polc", "explain", "--scope", scope, bundle, "command", line],
                capture_output=True, text=True, check=False, cwd=project).stdout.split(":")[0]
        for who, effect in got.items():
            if effect != want:
                print("%s, %s: '%s' is '%s', not %s" % (who, scope, line, effect, want))


main()
