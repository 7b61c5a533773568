#!/usr/bin/env python3
"""The files of tests/fixtures are what its make.py makes."""

import filecmp
import os
import subprocess
import sys
import tempfile
import unittest

FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures")


def files(root):
    found = set()
    for folder, below, names in os.walk(root):
        below[:] = [d for d in below if d != "__pycache__"]
        found |= {os.path.relpath(os.path.join(folder, n), root) for n in names}
    return found


class Fixtures(unittest.TestCase):
    def test_same(self):
        with tempfile.TemporaryDirectory() as fresh:
            subprocess.run([sys.executable, os.path.join(FIXTURES, "make.py"), fresh], check=True)
            made = files(fresh)
            self.assertEqual(files(FIXTURES) - {"make.py", "fusible.py", "sized.py", "sloppy.py"}, made)
            for name in made:
                same = filecmp.cmp(os.path.join(fresh, name), os.path.join(FIXTURES, name), shallow=False)
                self.assertTrue(same, f"{name} is not what make.py makes")


if __name__ == "__main__":
    unittest.main()
