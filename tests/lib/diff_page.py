#!/usr/bin/env python3
"""The page of `polc diff --format html`: whole, alone, complete, and inert.

    diff_page.py POLC OLD NEW [TEXT...]   each TEXT must stand on the page as text

Prints what is wrong; nothing if all is right.  The page is read twice: as XML, which
refuses what is not well formed, and as a browser reads HTML.
"""
import html.parser
import json
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET

NS = "{http://www.w3.org/1999/xhtml}"
# All that the page may have; nothing here loads or runs anything.
ALLOWED = {
    "html": {"lang", "xmlns"}, "head": set(), "meta": {"charset", "http-equiv", "name",
                                                       "content"},
    "title": set(), "style": set(), "body": set(), "main": set(), "section": set(),
    "h1": set(), "h2": set(), "h3": set(), "p": {"class"}, "ul": {"class"}, "li": set(),
    "article": {"class"}, "code": {"class"}, "span": {"class"}, "table": set(),
    "tr": set(), "th": {"scope"}, "td": set(), "br": set(),
}
bad = []


def ask(polc, form, old, new):
    p = subprocess.run([polc, "diff", "--format", form, old, new], capture_output=True,
                       stdin=subprocess.DEVNULL)
    if p.returncode not in (0, 1, 5) or p.stderr:
        sys.exit(f"diff --format {form}: status {p.returncode} {p.stderr.decode()}")
    return p.returncode, p.stdout.decode("utf-8")


class Browser(html.parser.HTMLParser):
    """Tags as a browser sees them, and the text outside of style."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.style, self.tags = [], False, 0

    def handle_starttag(self, tag, attrs):
        self.tags += 1
        self.style = tag == "style"
        if tag not in ALLOWED:
            bad.append(f"an element '{tag}'")
        bad.extend(f"'{tag}' has '{k}'" for k, _ in attrs if k not in ALLOWED.get(tag, ()))

    def handle_endtag(self, tag):
        self.style = False

    def handle_comment(self, data):
        bad.append(f"a comment: {data[:40]}")

    def unknown_decl(self, data):
        bad.append(f"a declaration: {data[:40]}")

    def handle_pi(self, data):
        bad.append(f"an instruction: {data[:40]}")

    def handle_data(self, data):
        if not self.style:
            self.text.append(data)


def texts(e):
    return "".join(e.itertext())


def clean(text):
    """As polc shows text: what could hide is spelled by its bytes."""
    return "".join(c if c.isprintable() and c not in
                   "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
                   else "".join(f"\\x{b:02x}" for b in c.encode("utf-8", "surrogateescape"))
                   for c in text)


def side_faults(name, said, row):
    if said is None:
        return [] if "nothing" in texts(row) else [f"{name}: not 'nothing'"]
    rule, shown = said["rule"], texts(row)
    want = [rule["id"], clean(rule["text"]), said["effect"] or said["value"] or "none"]
    if rule["line"]:
        want.append(clean(f"{rule['file']}:{rule['line']}:{rule['column']}"))
    return [f"{name}: no '{w}' in '{shown}'" for w in want if w not in shown]


def article_faults(n, item, article):
    faults = []
    rows = article.findall(f"{NS}table/{NS}tr")
    if len(rows) != 2:
        return [f"{n}: {len(rows)} rows"]
    for name, row in zip(("old", "new"), rows):
        faults += side_faults(f"{n} {name}", item[name], row)
    shown = texts(article)
    if "why" in item:
        return faults + [f"{n}: no reason" for _ in (1,) if clean(item["why"]) not in shown]
    if item["change"].replace("-", " ") not in shown:
        faults.append(f"{n}: no '{item['change']}'")
    if (article.get("class") == "widening") != item["widening"]:
        faults.append(f"{n}: widening is not marked as it is")
    asked = article.find(f"{NS}code")
    if item["request"] and shlex.split(texts(asked)) != [clean(w) for w in item["request"]]:
        faults.append(f"{n}: '{texts(asked)}' is not {item['request']}")
    return faults


def main(polc, old, new, *wanted):
    status, page = ask(polc, "html", old, new)
    data_status, data = ask(polc, "json", old, new)
    data = json.loads(data)
    if status != data_status:
        bad.append(f"exit status {status}, and {data_status} as JSON")
    root = ET.fromstring(page)
    browser = Browser()
    browser.feed(page)
    browser.close()
    if browser.tags != sum(1 for _ in root.iter()):
        bad.append("a browser sees other elements than XML has")
    style = "".join(e.text for e in root.iter(f"{NS}style"))
    bad.extend(f"'{w}' in the style" for w in ("url(", "@import", "@font-face", "http")
               if w in style)
    if "prefers-color-scheme:dark" not in style:
        bad.append("no dark colours")
    if not any("default-src 'none'" in e.get("content", "") for e in root.iter(f"{NS}meta")):
        bad.append("no Content-Security-Policy")
    articles = list(root.iter(f"{NS}article"))
    # on the page, those that widen come first
    items = sorted(data["findings"], key=lambda f: not f["widening"]) + data["undecided"]
    if len(items) != len(articles):
        bad.append(f"{len(items)} findings and doubts, {len(articles)} on the page")
    for n, (item, article) in enumerate(zip(items, articles)):
        bad.extend(article_faults(n, item, article))
    shown = "".join(browser.text)
    totals = [len(data["findings"]), sum(f["widening"] for f in data["findings"]),
              len(data["undecided"])]
    for n, what in zip(totals, ("difference", "widening", "undecided")):
        if f"{n} {what}" not in shown:
            bad.append(f"no total '{n} {what}'")
    if (not items) != ("decide alike" in shown):
        bad.append("'decide alike' is not where it belongs")
    bad.extend(f"no text '{w}'" for w in wanted if clean(w) not in shown)
    print("\n".join(bad))


if __name__ == "__main__":
    main(*sys.argv[1:])
