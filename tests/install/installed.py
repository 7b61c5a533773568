#!/usr/bin/env python3
"""The installed tree: installed.py SOURCE BUILD NM

Installs the build into an empty folder and looks at what is there: libassay exports exactly the functions that its
header declares, every data file of the source tree is there, and the program finds its data beside itself.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD, NM = (os.path.abspath(a) if os.sep in a else a for a in sys.argv[1:4])


def files_below(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = os.path.join(cls.folder.name, "usr")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, *parts):
        return os.path.join(self.prefix, *parts)

    def run_assay(self, *arguments):
        """Runs the installed program in an empty folder, with nothing that points to the source tree."""
        kept = {k: v for k, v in os.environ.items() if k not in ("ASSAY_DATA", "ASSAY_WORKERS")}
        with tempfile.TemporaryDirectory() as empty:
            return subprocess.run([self.path("bin", "assay"), *arguments], cwd=empty, env={**kept, "HOME": empty},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_exports(self):
        library = next(os.path.join(at, "libassay.a") for at, _, names in os.walk(self.prefix) if "libassay.a" in names)
        listed = subprocess.run([NM, "-g", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True)
        exported = {line.split()[-1] for line in listed.stdout.splitlines() if len(line.split()) == 3}
        with open(self.path("include", "assay.h")) as f:
            header = re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.S)
        declared = set(re.findall(r"\b(assay_\w+)\(", header))
        self.assertEqual(exported, declared)
        self.assertGreater(len(exported), 20)

    def test_data(self):
        here, there = files_below(os.path.join(SOURCE, "data")), files_below(self.path("share", "assay"))
        self.assertEqual(here - there, set())

    def test_program(self):
        self.assertEqual(self.run_assay("--version").returncode, 0)
        fuzz = ("fuzz", "-b", "reference", "--models", "2", "--blocks", "3", "--seed", "3", "--no-store")
        done = self.run_assay(*fuzz)
        self.assertEqual(done.returncode, 0, done.stdout)
        # Without the file it must fail: it reads what was installed, not the source tree.
        blocks = self.path("share", "assay", "blocks-paper.yaml")
        os.rename(blocks, blocks + ".gone")
        done = self.run_assay(*fuzz)
        os.rename(blocks + ".gone", blocks)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("share/assay/blocks-paper.yaml", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
