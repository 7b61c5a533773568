#!/usr/bin/env python3
"""Patterns of data/blocks-large.yaml name the opset that brought an input which they use."""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEPS, SINCE = 5, 10  # Slice has this many operands with steps, which came with this opset


def patterns():
    with open(os.path.join(ROOT, "data", "blocks-large.yaml"), encoding="utf-8") as f:
        text = f.read()
    for name, head, pattern in re.findall(r"- \{name: (\w+),(.*?)pattern: '(.*?)'\}", text, re.S):
        since = re.search(r"since: (\d+)", head)
        yield name, int(since.group(1)) if since else 0, " ".join(pattern.split())


def operands(call):
    """How many the call has that the text begins with."""
    depth = count = 0
    for c in call[call.index("("):]:
        depth += (c in "([") - (c in ")]")
        count += c == "," and depth == 1
        if not depth:
            break
    return count + 1


class Blocks(unittest.TestCase):
    def test_slice_with_steps(self):
        for name, since, pattern in patterns():
            with self.subTest(block=name):
                most = max([operands(pattern[m.start():]) for m in re.finditer(r"\bSlice\(", pattern)] or [0])
                self.assertTrue(most < STEPS or since >= SINCE)


if __name__ == "__main__":
    unittest.main()
