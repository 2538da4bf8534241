#!/usr/bin/env python3
"""Stands for polquery where shell.py itself is tested: gives every line the effect
that its first argument names."""
import json
import sys

for text in sys.stdin:
    print(f'{{"id":{json.loads(text)["id"]},"effect":"{sys.argv[1]}"}}', flush=True)
