#!/usr/bin/env python3
"""Each table of the pages has a head, a row of dashes below it, and as many columns in every row."""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DASHES = re.compile(r"^\|(?: *:?-+:? *\|)+$")


def columns(line):
    """How many cells a row has; `\\|` is text, between backquotes too."""
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def tables(text):
    """(number of the first line, lines) of each run of lines that begin with a bar, outside of blocks of code."""
    begin, rows, code = 0, [], False
    for number, line in enumerate(text.split("\n") + [""], 1):
        line = line.strip()
        if line.startswith("```"):
            code = not code
        if line.startswith("|") and not code:
            begin = begin if rows else number
            rows.append(line)
        elif rows:
            yield begin, rows
            rows = []


def wrong(text):
    """(line, what is wrong) of a page."""
    for begin, rows in tables(text):
        if len(rows) < 2 or DASHES.match(rows[0]) or not DASHES.match(rows[1]):
            yield begin, "no head with a row of dashes below it"
            continue
        if len(rows) == 2:
            yield begin, "no row"
        for i, row in enumerate(rows):
            if not row.endswith("|"):
                yield begin + i, "no bar at the end"
            elif columns(row) != columns(rows[0]):
                yield begin + i, f"{columns(row)} columns, the head has {columns(rows[0])}"


def pages():
    """Markdown of the tree: docs with all folders, and the pages beside README.md."""
    for at, _, names in os.walk(os.path.join(ROOT, "docs")):
        yield from (os.path.join(at, name) for name in names if name.endswith(".md"))
    yield from (os.path.join(ROOT, name) for name in os.listdir(ROOT) if name.endswith(".md"))


class Tables(unittest.TestCase):
    def test_pages(self):
        found, seen = [], 0
        for path in pages():
            with open(path, encoding="utf-8") as f:
                text = f.read()
            seen += len(list(tables(text)))
            found += [f"{os.path.relpath(path, ROOT)}:{line}: {what}" for line, what in wrong(text)]
        self.assertGreater(seen, 200)  # else tables are no longer recognized
        self.assertEqual(found, [])

    def test_faults(self):
        """What the check must see, and what it must leave alone."""
        good = "| a | b |\n|---|---:|\n| `x \\| y` | 2 |\n"
        self.assertEqual(list(wrong(good)), [])
        self.assertEqual(list(wrong("```\n| no table |\n```\n")), [])
        self.assertEqual(list(wrong("  " + good.replace("\n", "\n  "))), [])
        for text, line in (("|---|---|\n| 1 | 2 |\n", 1), ("| a | b |\n| 1 | 2 |\n", 1), ("| a |\n", 1),
                           (good + "| 1 |\n", 4), (good + "| 1 | 2 | 3 |\n", 4), (good + "| 1 | 2\n", 4),
                           ("| a | b |\n|---|\n| 1 | 2 |\n", 2), ("| a |\n|---|\n", 1)):
            self.assertEqual([at for at, _ in wrong(text)], [line], text)


if __name__ == "__main__":
    unittest.main()
