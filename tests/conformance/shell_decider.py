#!/usr/bin/env python3
"""Stands for polquery where shell.py itself is tested: allows plain lines without a
"p3" in them, or (--all) every line."""
import json
import re
import sys

for text in sys.stdin:
    q = json.loads(text)
    plain = re.fullmatch(r"\s*(p[124]|ok|say|no)([ \t]+[-a-z0-9./=:]+)*\s*", q["line"])
    print(json.dumps({"id": q["id"], "effect": "allow" if plain or "--all" in sys.argv else "deny"}),
          flush=True)
