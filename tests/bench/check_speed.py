#!/usr/bin/env python3
"""polc check at 10, 100 and 1,000 rules.  usage: check_speed.py POLC WORKDIR"""
import statistics
import subprocess
import sys
import time

polc, work = sys.argv[1], sys.argv[2]
for n in (10, 100, 1000):
    path = f"{work}/rules{n}.pol"
    with open(path, "w") as f:
        f.write("policy bench { level project }\ncommand {\n")
        for i in range(n * 7 // 10):
            f.write(f'    {"deny" if i % 3 else "allow"} "tool{i} sub{i % 7}:*"\n')
        f.write("}\nfile {\n")
        for i in range(n - n * 7 // 10):
            f.write(f'    allow read "/opt/tree{i}/data"\n')
        f.write("}\n")
    took = []
    for _ in range(7):
        start = time.perf_counter()
        r = subprocess.run([polc, "check", path], capture_output=True, text=True)
        took.append((time.perf_counter() - start) * 1e3)
        if r.returncode not in (0, 1):
            sys.exit(f"polc check ended with {r.returncode}: {r.stderr[:400]}")
    print(f"polc check, {n:5} rules: median {statistics.median(took):8.1f} ms (status {r.returncode})")
