#!/usr/bin/env python3
"""The installed tree: installed.py SOURCE BUILD NM

Installs the build into an empty folder and looks at what is there: libassay exports exactly the functions that its
header declares, every data file of the source tree is there, and the program finds its data beside itself.  It does so
when the tree that it was built from is gone, too: in the programs the name of that tree is written over with one that
nobody has.
"""
import glob
import hashlib
import os
import platform
import re
import shutil
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

    def run_assay(self, *arguments, without=()):
        """Runs the installed program in an empty folder, with nothing that points to the source tree."""
        kept = {k: v for k, v in os.environ.items() if k not in ("ASSAY_DATA", "ASSAY_WORKERS", *without)}
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

    def test_tree_is_left_alone(self):
        """The tree that it was built from is there, with libraries, and they are not this program's."""
        self.assertTrue(os.path.isdir(os.path.join(os.environ["ASSAY_DEPS"], "backends")))
        done = self.run_assay("backends", "list", without=("ASSAY_DEPS", "ASSAY_BACKENDS", "XDG_DATA_HOME"))
        self.assertIn("installed: nothing", done.stdout)
        worker = self.path("libexec", "assay", "workers", "assay-worker")
        os.rename(worker, worker + ".gone")
        done = self.run_assay("check", "lenet5", "-b", "fault:relu6", "--no-store")
        os.rename(worker + ".gone", worker)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("has no program 'assay-worker'", done.stdout)

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


class Gone(unittest.TestCase):
    """The tree that the program was built from has been moved away."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.stage = os.path.join(self.folder.name, "stage")
        install = ["cmake", "-DCMAKE_INSTALL_PREFIX=/opt/assay", "-P", os.path.join(BUILD, "cmake_install.cmake")]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": self.stage})
        self.prefix = os.path.join(self.stage, "opt", "assay")
        self.here = os.path.join(self.folder.name, "here")
        self.share = os.path.join(self.folder.name, "mine")
        os.mkdir(self.here)
        trees = sorted([SOURCE, os.path.abspath(os.environ["ASSAY_DEPS"])], key=len, reverse=True)
        self.gone = [("/gone" + "/x" * len(tree))[:len(tree)] for tree in trees]
        for program in [self.prefix + "/bin/assay", *glob.glob(self.prefix + "/libexec/assay/workers/*")]:
            with open(program, "rb") as f:
                code = f.read()
            for tree, gone in zip(trees, self.gone):
                self.assertTrue(tree.encode() in code or not program.endswith("/assay"))
                code = code.replace(tree.encode(), gone.encode())
            with open(program, "wb") as f:
                f.write(code)

    def assay(self, *arguments, status=0):
        gone = ("ASSAY_DATA", "ASSAY_WORKERS", "ASSAY_DEPS", "ASSAY_BACKENDS", "ASSAY_CACHE", "XDG_CACHE_HOME")
        env = {k: v for k, v in os.environ.items() if k not in gone}
        env.update(HOME=self.here, XDG_DATA_HOME=self.share, PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run([os.path.join(self.prefix, "bin", "assay"), *arguments], cwd=self.here, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def lock_ort(self):
        """ONNX Runtime comes from the wheel that scripts/setup fetched."""
        wheel, = glob.glob(os.path.join(os.environ["ASSAY_DEPS"], "wheels", f"onnxruntime-*_{platform.machine()}.whl"))
        with open(wheel, "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()
        version = os.path.basename(wheel).split("-")[1]
        with open(os.path.join(self.prefix, "share", "assay", "libraries", "ort.lock"), "w") as f:
            f.write(f"version {version}\nfile {wheel} {os.path.getsize(wheel)} {digest}\n"
                    "  take onnxruntime/capi/libonnxruntime.so.* lib/libonnxruntime.so\n")
        return version

    def test_verbs(self):
        version = self.lock_ort()
        self.assertIn("installed: nothing", self.assay("backends", "list"))
        told = self.assay("backends", "install", "ort")
        self.assertIn(f"{self.share}/assay/backends/ort/{version}", told)
        self.assertEqual([path for path in self.gone if os.path.exists(path)], [])
        self.assertIn("ok", self.assay("backends", "doctor", "ort"))
        told = self.assay("equiv", "-b", "ort", "--api", "Relu", "--inputs", "2", "--no-store")
        self.assertNotIn(SOURCE, told)
        self.assay("check", "lenet5", "-b", "reference,ort", "--db", "a.db")
        self.assay("report", "--db", "a.db", "--html", "a.html")
        self.assay("check", "lenet5", "-b", "fault:pads_swapped", "--no-store")
        self.assay("fuzz", "-b", "ort", "--corpus", "large", "--models", "2", "--blocks", "3", "--no-store")
        self.assay("ops", "Relu", "-b", "ort")
        self.assertEqual(sorted(name for name in os.listdir(self.here) if name[0] != "."), ["a.db", "a.html"])

    def test_manual(self):
        """A page of each verb, with each of its options, that a formatter takes without a warning."""
        folder = os.path.join(self.prefix, "share", "man", "man1")

        def page(name):
            with open(os.path.join(folder, name + ".1"), encoding="ascii") as f:
                return f.read()

        verbs = [row.split()[0] for row in self.assay("help").split("verbs:\n")[1].split("\n\n")[0].splitlines()]
        self.assertGreater(len(verbs), 15)
        self.assertEqual(sorted(os.listdir(folder)), sorted(["assay.1", *(f"assay-{verb}.1" for verb in verbs)]))
        for verb in verbs:
            self.assertIn(".BR assay\\-" + verb.replace("-", "\\-") + " (1)", page("assay"))
            for option in set(re.findall(r"(?m)^  .{4}(--[a-z-]+)", self.assay("help", verb))):
                self.assertRegex(page("assay-" + verb), r"(?m)^\.B .*" + re.escape(option.replace("-", "\\-")) + r"\b")
        self.assertIn("\\-\\-no\\-localize", page("assay-check"))
        self.assertIn(".B NO_COLOR", page("assay"))
        lint = "mandoc -Tlint -W warning" if shutil.which("mandoc") else "groff -man -ww -Tutf8 -z"
        pages = glob.glob(folder + "/*.1")
        done = subprocess.run([*lint.split(), *pages], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_uninstall(self):
        mine = os.path.join(self.prefix, "share", "assay", "backends", "ort")
        os.makedirs(mine)
        open(os.path.join(mine, "library"), "w").close()
        os.makedirs(os.path.join(self.prefix, "share", "assay", "workers", "python", "__pycache__"))
        subprocess.run(["make", "-s", "-C", SOURCE, "uninstall", "BUILD=" + BUILD, "DESTDIR=" + self.stage], check=True)
        self.assertEqual(files_below(self.stage), {"opt/assay/share/assay/backends/ort/library"})
        self.assertFalse(os.path.exists(os.path.join(self.prefix, "share", "assay", "workers")))
        self.assertFalse(os.path.exists(os.path.join(self.prefix, "libexec", "assay")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
