#!/usr/bin/env python3
"""The script of a finding of equiv (src/methods/equiv/script.py): its exit status when a side gives no result.  A
library of two lines stands in for a real one, and an empty module for numpy."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARY = """    import time
    op = tensor = dtype = out = None
"""
DIE, REFUSE = "os.kill(os.getpid(), 9)", "raise ValueError"


def script(library, side_a, side_b, seconds):
    with open(os.path.join(ROOT, "src", "methods", "equiv", "script.py"), encoding="utf-8") as f:
        text = f.read()
    for name, value in {"TITLE": "a test", "PACKAGE": "nothing", "SET_A": "", "SET_B": "", "ENVIRONMENT_A": "",
                        "ENVIRONMENT_B": "", "DEVICE": "", "ATOL": "0", "RTOL": "0", "LIBRARY": library,
                        "SIDE_A": "    " + side_a, "SIDE_B": "    " + side_b}.items():
        text = text.replace(f"@{name}@", value)
    return text.replace("SECONDS = 60", f"SECONDS = {seconds}")


def run(library, side_a, side_b, seconds=60):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "repro.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script(library, side_a, side_b, seconds))
        open(os.path.join(folder, "numpy.py"), "w").close()
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=folder)
        return done.returncode, done.stdout


class Script(unittest.TestCase):
    def test_a_side_that_dies(self):
        status, said = run(LIBRARY, DIE, DIE)
        self.assertEqual((status, "side b: died by signal 9" in said), (1, True), said)

    def test_a_side_that_refuses(self):
        status, said = run(LIBRARY, REFUSE, REFUSE)
        self.assertEqual((status, "side a: exit status 2" in said), (2, True), said)

    def test_a_side_that_hangs(self):
        status, said = run(LIBRARY, "l['time'].sleep(3600)", REFUSE, seconds=15)
        self.assertEqual((status, "side a: no answer after 15 seconds" in said), (1, True), said)

    def test_a_library_that_does_not_load_in_time_shows_nothing(self):
        status, said = run(LIBRARY + "    time.sleep(3600)\n", DIE, DIE, seconds=2)
        self.assertEqual((status, "side a: not loaded after 2 seconds" in said), (2, True), said)


if __name__ == "__main__":
    unittest.main()
