#!/usr/bin/env python3
"""Reads the Markdown of `polc diff` as GitHub's does, and prints what is wrong with it.

    markdown_cells.py [TEXT…] <OUTPUT

Text of a policy may stand in code only: outside of code a host makes links of "@name", "#12"
and addresses, escaped or not. Each TEXT must be in some cell as it is.
"""
import re
import sys

WORDS = {"", "change", "request or value", "old", "new", "seen", "undecided"}


def cells(line):
    """GFM cuts a row at each bar without a backslash before it, also inside of code."""
    return [c.replace(r"\|", "|").strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]


def code(text):
    """What is outside of code, and the whole text as it is shown (CommonMark 6.1)."""
    outside = shown = ""
    at = 0
    while at < len(text):
        run = re.match(r"`+", text[at:])
        if not run:
            outside += text[at]
            at += 1
            continue
        fence = run.group()
        end = re.search(r"(?<!`)" + fence + r"(?!`)", text[at + len(fence):])
        if not end:
            outside += fence
            at += len(fence)
            continue
        inner = text[at + len(fence):at + len(fence) + end.start()]
        if inner.strip(" ") and inner[0] == inner[-1] == " ":
            inner = inner[1:-1]
        shown += outside.replace("&#124;", "|") + inner
        outside_here = outside
        at += len(fence) + end.end()
        yield outside_here, shown
        outside = shown = ""
    yield outside, outside.replace("&#124;", "|")


def main():
    seen = ""
    width = 0
    for n, line in enumerate(sys.stdin.read().split("\n"), 1):
        if not line.startswith("|"):
            width = 0
            rows = [line] if n > 1 else []
        else:
            rows = cells(line)
            width = width or len(rows)
            if len(rows) != width:
                print(f"line {n}: {len(rows)} cells, the head has {width}")
        for cell in rows:
            parts = list(code(cell))
            rest = "".join(p[0] for p in parts).replace("&#124;", "").strip(" ")
            seen += "".join(p[1] for p in parts) + "\n"
            if rest not in WORDS and not re.fullmatch(r"-+|(\*\*)?[a-z]+( [a-z]+)*(\*\*)?", rest):
                print(f"line {n}: outside of code: {rest}")
    for text in sys.argv[1:]:
        if text not in seen:
            print(f"not shown: {text}")


if __name__ == "__main__":
    main()
