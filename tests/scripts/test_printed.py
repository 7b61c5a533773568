#!/usr/bin/env python3
"""printed() has what a library writes by C's printf, which stays in a buffer when nobody asks for it."""

import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = """
import ctypes
from printed import printed
libc = ctypes.CDLL(None)
libc.printf(b"before\\n")
result, text = printed(lambda: libc.printf(b"unsupported\\n"))
print(repr(text))
"""


class Printed(unittest.TestCase):
    def run_program(self, **environment):
        own = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
        own["PYTHONPATH"] = os.path.join(ROOT, "workers", "python")
        done = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=True, env={**own, **environment})
        return done.stdout, done.stderr

    def test_buffered(self):
        self.assertEqual(self.run_program(), ("before\n'unsupported\\n'\n", "unsupported\n"))

    def test_unbuffered(self):
        self.assertEqual(self.run_program(PYTHONUNBUFFERED="1"), ("before\n'unsupported\\n'\n", "unsupported\n"))


if __name__ == "__main__":
    unittest.main()
