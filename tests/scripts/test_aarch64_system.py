#!/usr/bin/env python3
"""scripts/aarch64-system without a machine: what it would start, fetch and say."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from commands import load  # noqa: E402

system = load("scripts/aarch64-system")

RESULTS = """<?xml version="1.0"?>
<testsuite>
 <testcase name="test_b" status="run"/>
 <testcase name="test_a" status="run"/>
 %s
 <testcase name="test_library" status="notrun"><system-out>no ONNX Runtime
not run: nothing is installed</system-out></testcase>
</testsuite>
"""


class Args:
    def __init__(self, **more):
        self.cpus, self.command, self.library, self.deps, self.words, self.skip = 2, None, [], "/deps", [], None
        self.__dict__.update(more)


class Pieces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def tell(self, more):
        path = self.write("results.xml", (RESULTS % more).encode())
        with contextlib.redirect_stdout(io.StringIO()) as out:
            good = system.tell(path)
        return good, out.getvalue()

    def test_results_are_counted_and_what_was_not_run_is_told(self):
        good, said = self.tell("")
        self.assertTrue(good)
        self.assertIn("2 tests ran, 2 passed, 0 failed; 1 were not run", said)
        self.assertIn("not run: test_library: not run: nothing is installed", said)

    def test_a_failed_test_is_named(self):
        good, said = self.tell('<testcase name="test_c" status="fail"/>')
        self.assertFalse(good)
        self.assertIn("3 tests ran, 2 passed, 1 failed", said)
        self.assertIn("failed: test_c", said)

    def test_nothing_that_ran_is_not_good(self):
        path = self.write("results.xml", b'<testsuite><testcase name="a" status="notrun"/></testsuite>')
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertFalse(system.tell(path))

    def test_modules_come_after_those_that_they_need(self):
        modules = "lib/modules/6.1/kernel"
        self.write(f"{modules}/drivers/virtio_pci.ko", b"x\0depends=virtio,virtio-ring\0")
        self.write(f"{modules}/drivers/virtio.ko", b"x\0depends=\0")
        self.write(f"{modules}/drivers/virtio_ring.ko", b"x\0depends=virtio\0")
        self.write(f"{modules}/fs/overlay.ko", b"x\0depends=\0")
        names = [name for name, _ in system.modules_in_order(self.folder)]
        self.assertEqual(names, ["virtio", "virtio_ring", "virtio_pci", "overlay"])

    def test_a_root_without_a_kernel_is_refused(self):
        with self.assertRaises(system.MachineError):
            system.make_start(self.folder, os.path.join(self.folder, "start"))

    def test_members_of_the_start_lie_at_multiples_of_four(self):
        for name, data in (("a", b""), ("ab", b"x"), ("abc", b"xyz"), ("abcd", b"12345")):
            member = system.cpio_member(name, 0o100644, data)
            self.assertEqual(len(member) % 4, 0)
            self.assertEqual(int(member[54:62], 16), len(data))
            self.assertEqual(member[110:110 + len(name) + 1], name.encode() + b"\0")

    def test_folders_that_lie_in_others_are_shared_once(self):
        self.assertEqual(system.outermost(["/a/b", "/a/b/c", "/a/bc", "/d"]), ["/a/b", "/a/bc", "/d"])

    def test_wheels_for_the_machine_and_its_python_are_fetched(self):
        path = self.write("lib.lock", b"version 2\npython\n"
                          b"wheel a-2-cp311-cp311-manylinux_2_28_x86_64.whl 1 aa\n take ** site/\n"
                          b"wheel a-2-cp311-cp311-manylinux_2_28_aarch64.whl 1 bb\n take ** site/\n"
                          b"wheel a-2-cp312-cp312-manylinux_2_28_aarch64.whl 1 cc\n take ** site/\n"
                          b"wheel b-1-py3-none-any.whl 1 dd\n take ** site/\n\n"
                          b"version 1\nwheel a-1-cp311-cp311-manylinux1_aarch64.whl 1 ee\n take ** site/\n")
        self.assertEqual(system.wheels_of(path, ""), [("a-2-cp311-cp311-manylinux_2_28_aarch64.whl", "bb"),
                                                      ("b-1-py3-none-any.whl", "dd")])
        self.assertEqual(system.wheels_of(path, "1"), [("a-1-cp311-cp311-manylinux1_aarch64.whl", "ee")])
        with self.assertRaises(system.MachineError):
            system.wheels_of(path, "3")

    def test_a_wheel_that_two_libraries_need_is_linked_once(self):
        name = "numpy-2-cp311-cp311-manylinux_2_28_aarch64.whl"
        self.write(f"aarch64-wheels/{name}", b"x")
        self.addCleanup(setattr, system, "wheels_of", system.wheels_of)
        system.wheels_of = lambda lock, version: [(name, "aa")]
        packages = os.path.join(self.folder, "packages")
        system.fetch_packages(Args(deps=self.folder, library=["mnn", "ncnn"]), packages)
        self.assertEqual(os.listdir(packages), [name])

    def test_what_setup_fetches_on_such_a_machine_is_fetched(self):
        asked = []
        self.addCleanup(setattr, system, "fetch_wheels", system.fetch_wheels)
        system.fetch_wheels = lambda args, wheels, folder: asked.extend(file for file, _ in wheels)
        system.fetch_setup(Args(), self.folder)
        self.assertEqual({file.split("-")[0] for file in asked}, {"onnx", "onnxruntime"})
        self.assertTrue(all(file.endswith("_aarch64.whl") for file in asked))
        self.assertIn("cp /exchange/wheels/* /deps/wheels\n", system.job_of(Args(), "/a"))

    def test_the_repository_comes_along(self):
        """Of a second work tree it lies elsewhere."""
        def git(*words):
            subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(setattr, system, "ROOT", system.ROOT)
        system.ROOT = self.folder
        self.assertEqual(system.repository(), [])
        git("init", "first")
        git("-C", "first", "commit", "--allow-empty", "-m", "x")
        git("-C", "first", "worktree", "add", "../second")
        system.ROOT = os.path.join(self.folder, "second")
        self.assertEqual(system.repository(), [os.path.join(self.folder, "first", ".git")])

    def test_the_job_installs_libraries_and_runs_ctest(self):
        job = system.job_of(Args(library=["ort", "mnn@3"], words=["-L", "unit|corpus"]), "/a b")
        self.assertIn("cd '/a b'", job)
        self.assertIn("backends install --offline ort mnn@3\n", job)
        self.assertIn("-L 'unit|corpus'", job)
        self.assertLess(job.index("ASSAY_PATIENCE=20"), job.index("backends doctor"))
        self.assertNotIn("ctest", system.job_of(Args(command="true"), "/a"))


if __name__ == "__main__":
    unittest.main()
