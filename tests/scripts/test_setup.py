"""scripts/setup on a lock file of its own: nothing is fetched from outside, nothing is installed."""

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETUP = os.path.join(ROOT, "scripts", "setup")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402
from wheel_machines import for_machine, machine_of  # noqa: E402

setup = commands.load("scripts/setup")

WHEEL = "assay_test_only-1.0-py3-none-any.whl"


def rows(*files):
    return [setup.Wheel(*file.split("-")[:2], file, "", "proto") for file in files]


class Machines(unittest.TestCase):
    X86 = "lib-1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    ARM = "lib-1-cp311-cp311-manylinux_2_28_aarch64.whl"
    ANY = "words-1-py3-none-any.whl"

    def files(self, machine, *files):
        return [row.file for row in for_machine(rows(*files), machine)]

    def test_machine_of_a_wheel(self):
        self.assertEqual([machine_of(file) for file in (self.X86, self.ARM, self.ANY, "axe-core-4.14.0.tgz")],
                         ["x86_64", "aarch64", "", ""])

    def test_of_several_rows_that_of_the_machine_is_taken(self):
        self.assertEqual(self.files("aarch64", self.X86, self.ARM, self.ANY), [self.ARM, self.ANY])
        self.assertEqual(self.files("x86_64", self.ARM, self.ANY, self.X86), [self.X86, self.ANY])

    def test_a_row_alone_is_for_all_machines(self):
        self.assertEqual(self.files("aarch64", self.X86), [self.X86])

    def test_what_is_run_is_locked_for_every_machine(self):
        """ONNX Runtime, and the checker of the newest ONNX."""
        locked = setup.read_lock(os.path.join(ROOT, "data", "wheels.lock"))
        for machine in "x86_64", "aarch64":
            taken = for_machine(locked, machine)
            for purpose in "onnxruntime", "proto":
                self.assertEqual([machine_of(row.file) for row in taken if row.purpose == purpose], [machine])


class Wheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.deps = os.path.join(folder.name, "deps")
        self.lock = os.path.join(folder.name, "lock")
        self.wheel = os.path.join(self.deps, "wheels", WHEEL)
        self.proto = os.path.join(self.deps, "onnx-ml.proto")
        os.makedirs(os.path.dirname(self.wheel))
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.writestr("onnx/onnx-ml.proto", "message M {}\n")
            archive.writestr("onnx/other", "not wanted")
        with open(self.wheel, "rb") as f:
            self.write_lock(hashlib.sha256(f.read()).hexdigest())

    def write_lock(self, digest, purpose="proto"):
        with open(self.lock, "w", encoding="utf-8") as f:
            f.write(f"# comment\nassay-test-only 1.0 {WHEEL} {digest} {purpose}\n")

    def run_setup(self):
        """Registry and packages are out of reach for the child, so a try to fetch fails at once."""
        env = dict(os.environ, PIP_NO_INDEX="1", PIP_FIND_LINKS="", ASSAY_RETRY_SECONDS="0")
        return subprocess.run([sys.executable, "-B", SETUP, "--lock", self.lock, "--deps", self.deps], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_unpacks_what_is_wanted(self):
        done = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("unpacked 1 file", done.stdout)
        self.assertTrue(os.path.exists(self.proto))
        self.assertFalse(os.path.exists(os.path.join(self.deps, "other")))

    def test_packages_of_checks_only(self):
        """A row for the checks is passed over without --ci, and a .tgz is unpacked as a wheel is."""
        path = os.path.join(self.deps, "wheels", "reporter-1.0.tgz")
        with tarfile.open(path, "w:gz") as archive:
            for name in ("package/test/resources/JUnit.xsd", "package/other.js"):
                archive.addfile(tarfile.TarInfo(name), io.BytesIO())
        with open(path, "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()
        with open(self.lock, "a", encoding="utf-8") as f:
            f.write(f"reporter 1.0 reporter-1.0.tgz {digest} junit-schema\n")
        done = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("reporter", done.stdout)
        row = setup.read_lock(self.lock)[-1]
        setup.install_wheels([row], self.deps)
        self.assertEqual(os.listdir(os.path.join(self.deps, "schemas")), ["JUnit.xsd"])
        self.assertTrue(setup.is_unpacked(row, self.deps))

    def test_second_run_does_nothing(self):
        self.run_setup()
        os.unlink(self.wheel)  # not needed any more
        done = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("unpacked", done.stdout)

    def test_lost_or_cut_file_is_unpacked_again(self):
        for harm in (os.unlink, lambda path: open(path, "w").close()):
            self.run_setup()
            harm(self.proto)
            self.assertIn("unpacked 1 file", self.run_setup().stdout)
            self.assertGreater(os.path.getsize(self.proto), 0)

    def test_library_becomes_a_backend_with_a_link(self):
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.writestr("onnxruntime/capi/libonnxruntime.so.1.2.3", "library")
        with open(self.wheel, "rb") as f:
            self.write_lock(hashlib.sha256(f.read()).hexdigest(), "onnxruntime")
        link = os.path.join(self.deps, "onnxruntime", "libonnxruntime.so")
        for _ in range(2):
            self.assertEqual(self.run_setup().returncode, 0)
            self.assertTrue(os.path.exists(os.path.join(self.deps, "backends/ort/1.2.3/lib/libonnxruntime.so")))
            with open(link, encoding="utf-8") as f:
                self.assertEqual(f.read(), "library")
            os.unlink(link)  # comes back

    def test_interrupted_run_goes_on(self):
        os.makedirs(os.path.join(self.deps, "wheels", "part-x"))
        with open(self.proto + ".part", "w") as f:
            f.write("half")
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(self.deps, "wheels", "part-x")))
        self.assertFalse(os.path.exists(self.proto + ".part"))

    def test_damaged_wheel_is_refused(self):
        with open(self.wheel, "r+b") as f:
            f.write(b"X")
        done = self.run_setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("is damaged", done.stdout)
        self.assertIn("cannot fetch assay-test-only 1.0", done.stdout)
        self.assertFalse(os.path.exists(self.proto))

    def test_new_lock_makes_stamp_void(self):
        self.run_setup()
        self.write_lock("0" * 64)
        self.assertEqual(self.run_setup().returncode, 1)

    def test_bad_lock(self):
        for digest, purpose in (("0" * 63, "proto"), ("0" * 64, "nonsense")):
            self.write_lock(digest, purpose)
            done = self.run_setup()
            self.assertEqual(done.returncode, 1)
            self.assertIn("line 2", done.stdout)

    def test_wheel_without_the_members(self):
        with open(self.wheel, "rb") as f:
            self.write_lock(hashlib.sha256(f.read()).hexdigest(), "onnxruntime")
        self.assertIn("none of its members", self.run_setup().stdout)


class Packages(unittest.TestCase):
    def test_names_what_is_missing(self):
        rows = [("there", lambda _: True, ""), ("absent", lambda _: False, ""), ("sh", setup.has_command, "sh")]
        self.assertEqual(setup.missing(rows), ["absent"])

    def test_without_rights_it_says_what_to_install(self):
        rows = [("libabsent-dev", setup.has_command, "no-such-command-anywhere")]
        with self.assertRaises(SystemExit) as end:
            setup.install_packages(rows, "/nonexistent", check_only=True)
        self.assertEqual(end.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
