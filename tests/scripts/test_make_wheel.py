#!/usr/bin/env python3
"""scripts/make-wheel beside a dpkg of this test's own: whose a library is."""

import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from commands import load  # noqa: E402

make_wheel = load("scripts/make-wheel")

# Knows one library by its name, one by the name below /usr; notes that it was asked.
DPKG = """#!/bin/sh
echo asked >>'%s'
for name; do
	case $name in
	/lib/libtoy.so.1) echo "libtoy1:arm64: $name" ;;
	/usr/lib/libplay.so.2) echo "libplay2: $name" ;;
	esac
done
exit 1
"""


class Packages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.asked = os.path.join(folder.name, "asked")
        path = os.path.join(folder.name, "dpkg")
        with open(path, "w", encoding="utf-8") as f:
            f.write(DPKG % self.asked)
        os.chmod(path, 0o755)
        there = mock.patch.dict(os.environ, PATH=folder.name + os.pathsep + os.environ["PATH"])
        there.start()
        self.addCleanup(there.stop)

    def test_dpkg_is_asked_once_for_all_libraries(self):
        found = make_wheel.packages_of(["/lib/libtoy.so.1", "/lib/libplay.so.2"])
        self.assertEqual(found, {"/lib/libtoy.so.1": "libtoy1", "/lib/libplay.so.2": "libplay2"})
        with open(self.asked, encoding="utf-8") as f:
            self.assertEqual(f.read(), "asked\n")

    def test_a_library_of_no_package_is_refused(self):
        with self.assertRaisesRegex(make_wheel.WheelError, "no Debian package has '/lib/libodd.so.3'"):
            make_wheel.packages_of(["/lib/libtoy.so.1", "/lib/libodd.so.3"])


if __name__ == "__main__":
    unittest.main()
