#!/usr/bin/env python3
"""scripts/sysroot without a network: what dpkg is told about packages that were only unpacked."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from commands import load  # noqa: E402

sysroot = load("scripts/sysroot")

LIBRARY = """Package: libtoy1
Version: 1.2-3
Architecture: arm64
Multi-Arch: same
Maintainer: nobody <nobody@example.org>
Description: a library
 that does nothing
"""
PROGRAM = """Package: toy
Version: 1
Architecture: all
Maintainer: nobody <nobody@example.org>
Description: a program
"""


class Entries(unittest.TestCase):
    def test_a_package_that_several_machines_may_have_is_named_with_its_machine(self):
        self.assertEqual(sysroot.entry_of(LIBRARY)[0], "libtoy1:arm64")
        self.assertEqual(sysroot.entry_of(PROGRAM)[0], "toy")

    def test_an_entry_says_that_the_package_is_installed(self):
        self.assertEqual(sysroot.entry_of(PROGRAM)[1], "Status: install ok installed\n" + PROGRAM + "\n")

    def test_names_are_as_dpkg_writes_them(self):
        self.assertEqual(sysroot.names_in("./\n./usr/\n./usr/bin/toy\n"), "/.\n/usr\n/usr/bin/toy\n")

    def test_what_tests_need_is_not_left_out(self):
        for name in sysroot.NEEDED_BY_TESTS:
            self.assertIn(name, sysroot.LEFT_OUT)
            self.assertNotIn(name, sysroot.TESTS_LEFT_OUT)


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-query"), "there is no dpkg")
class Register(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.root = os.path.join(self.folder, "root")

    def deb(self, name, control, files):
        """A package of empty files; its path."""
        tree = os.path.join(self.folder, name)
        for path, text in [("DEBIAN/control", control), *files]:
            os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
            with open(os.path.join(tree, path), "w", encoding="utf-8") as f:
                f.write(text)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, tree + ".deb"], check=True,
                       stdout=subprocess.DEVNULL)
        return tree + ".deb"

    def ask(self, *words):
        state = os.path.join(self.root, "var", "lib", "dpkg")
        done = subprocess.run(["dpkg-query", "--admindir=" + state, *words], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        return done.stdout.strip()

    def test_dpkg_knows_the_packages_and_their_files(self):
        debs = [self.deb("library", LIBRARY, [("usr/lib/libtoy.so.1", ""), ("DEBIAN/shlibs", "libtoy 1 libtoy1\n")]),
                self.deb("program", PROGRAM, [("usr/bin/toy", "")])]
        sysroot.register(debs, self.root)
        self.assertEqual(self.ask("-S", "/usr/lib/libtoy.so.1"), "libtoy1:arm64: /usr/lib/libtoy.so.1")
        self.assertEqual(self.ask("-S", "/usr/bin/toy"), "toy: /usr/bin/toy")
        self.assertEqual(self.ask("-W", "-f", "${Version} ${Status}", "libtoy1:arm64"), "1.2-3 install ok installed")
        self.assertTrue(self.ask("--control-path", "libtoy1:arm64", "shlibs").endswith("info/libtoy1:arm64.shlibs"))

    def test_a_link_that_is_there_stays(self):
        os.makedirs(os.path.join(self.root, "usr", "bin"))
        os.symlink("clang", os.path.join(self.root, "usr", "bin", "cc"))
        sysroot.link_alternatives(self.root)
        self.assertEqual(os.readlink(os.path.join(self.root, "usr", "bin", "cc")), "clang")
        self.assertEqual(os.readlink(os.path.join(self.root, "usr", "bin", "which")), "which.debianutils")


if __name__ == "__main__":
    unittest.main()
