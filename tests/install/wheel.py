#!/usr/bin/env python3
"""The pip wheel: wheel.py SOURCE BUILD DEPS

Builds the wheel, installs it into a virtual environment in a temporary folder, and uses it there: the command, the
Python package, the pytest plugin.  The environment has no compiler and nothing that points to the source tree.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
import venv

SOURCE, BUILD, DEPS = map(os.path.abspath, sys.argv[1:4])
LINEAR = os.path.join(SOURCE, "tests", "fixtures", "linear.onnx")
X = os.path.join(SOURCE, "tests", "fixtures", "x.npy")
LARGEST = 15_000_000  # bytes
SKIPPED = 77
# What a manylinux system has; all others must come from the wheel.
SYSTEM = re.compile(r"(linux-vdso|.*ld-linux|libc|libm|libz|libexpat)\b.*")
WRONG = "fault:kernel_mirrored"


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        at = cls.folder.name
        cls.wheels, cls.venv, cls.home = (os.path.join(at, name) for name in ("wheels", "venv", "home"))
        subprocess.run([sys.executable, os.path.join(SOURCE, "scripts", "make-wheel"), BUILD, cls.wheels], check=True,
                       stdout=subprocess.DEVNULL)
        venv.create(cls.venv, with_pip=True)
        os.mkdir(cls.home)
        cls.wheel, = glob.glob(os.path.join(cls.wheels, "*.whl"))
        cls.run_there("pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", cls.wheel)
        cls.run_there("assay", "backends", "install", "--offline", "ort", ASSAY_CACHE=os.path.join(DEPS, "wheels"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_there(cls, program, *words, status=0, **more):
        """A program of the virtual environment, which is all that its PATH has."""
        environment = {"HOME": cls.home, "PATH": os.path.join(cls.venv, "bin"), "ASSAY_PATIENCE": "20", **more}
        done = subprocess.run([os.path.join(cls.venv, "bin", program), *words], cwd=cls.home, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != status:
            raise AssertionError(f"{program} {words}: exit status {done.returncode}\n{done.stdout}")
        return done.stdout

    def python(self, script):
        return self.run_there("python", "-c", textwrap.dedent(script))

    def pytest(self, script, *words, status=0):
        with open(os.path.join(self.home, "test_model.py"), "w") as f:
            f.write(textwrap.dedent(script))
        return self.run_there("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_model.py", *words,
                              status=status, PYTHONPATH=os.path.join(DEPS, "python"))

    # ---- the wheel itself

    def test_size_and_version(self):
        self.assertLess(os.path.getsize(self.wheel), LARGEST)
        with open(os.path.join(SOURCE, "CMakeLists.txt")) as f:
            version, = re.findall(r"project\(assay VERSION ([0-9.]+) ", f.read())
        name = rf"^assay-{re.escape(version)}-py3-none-manylinux_2_\d+_\w+\.whl$"
        self.assertRegex(os.path.basename(self.wheel), name)
        self.assertEqual(self.run_there("assay", "--version"), f"assay {version}\n")
        self.assertIn(version, self.run_there("pip", "show", "assay"))

    def test_libraries_come_along(self):
        tree, = glob.glob(os.path.join(self.venv, "lib", "python*", "site-packages", "assay", "tree"))
        for program in [tree + "/bin/assay", *glob.glob(tree + "/libexec/assay/workers/*")]:
            listed = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
            others = [row for row in listed.splitlines() if not SYSTEM.fullmatch(row.strip())]
            self.assertEqual([row for row in others if tree not in os.path.realpath(row.split()[2])], [], program)
        self.assertEqual(glob.glob(tree + "/lib/*.a"), [])

    def test_licences_come_along(self):
        packages = os.path.join(self.venv, "lib", "python*", "site-packages")
        licences = glob.glob(os.path.join(packages, "assay-*.dist-info", "licenses", "*"))
        names = " ".join(map(os.path.basename, licences))
        for package in ("LICENSE", "libsqlite3-0.txt", "libgvc6.txt", "libssl3.txt"):
            self.assertIn(package, names)

    # ---- the command

    def test_command(self):
        self.run_there("assay", "check", "lenet5", "-b", "reference,ort", "--no-store")
        self.run_there("assay", "check", "lenet5", "-b", "reference," + WRONG, "--svg", "map.svg", status=1)
        self.assertTrue(os.path.exists(os.path.join(self.home, "map.svg")))  # by the Graphviz that came along
        self.run_there("assay", "check", "nowhere.onnx", status=2)

    def test_own_libraries_alone(self):
        """The tree that it was built from has libraries, and is not looked into."""
        self.assertTrue(os.path.isdir(os.path.join(DEPS, "backends")))
        said = self.python("import assay; print([b.path for b in assay.backends()])")
        self.assertEqual(said.count("backends/"), 1)
        self.assertIn(self.home + "/.local/share/assay/backends/ort/", said)
        self.assertIn("installed: nothing", self.run_there("assay", "backends", "list", HOME=self.wheels))

    def test_manual(self):
        self.assertTrue(os.path.exists(os.path.join(self.venv, "share", "man", "man1", "assay-check.1")))

    # ---- the Python package

    def test_check(self):
        self.python(f"""
            import assay
            report = assay.check({LINEAR!r}, backends=["ort"])
            assert report.ok and not report.findings and report["ort"].verdict == "agree", report
            report = assay.check("lenet5", ["reference", {WRONG!r}])
            assert not report.ok and report.verdict == "wrong" and report["reference"].verdict == "rounding", report
            finding, = report.findings
            assert finding.backend == {WRONG!r} and finding.operator == "Conv" and finding.node == "conv1", finding
            assert finding.noise_ratio > 1e4 and finding.suspects[1].node == "conv2", finding
            v = finding.verdict
            assert v.output == "probabilities" and v.got != v.expected and 0 <= v.element < 10, v
            assert f"element {{v.element}}: got {{v.got:.9g}}, expected {{v.expected:.9g}}" in str(report), str(report)
            report = assay.check("lenet5", {WRONG!r}, localize=False)
            assert report.findings[0].node is None and not report.ok
            assert {WRONG!r} in report.command
        """)

    def test_nothing_judged(self):
        """A check that judged nothing is not right.  The answer is edited: this is about how a Report reads it."""
        self.python(f"""
            import assay
            from assay.report import report_of
            said = assay.check({LINEAR!r}, "ort").raw
            said["backend_verdicts"][0].update(verdict="unsupported", judged=0, noise_ratio=None, worst=None)
            report = report_of(said, 4, "assay check")
            assert not report.ok and "nothing was judged" in str(report), str(report)
        """)

    def test_errors(self):
        said = self.python("""
            import assay
            for words in ({"model": "nowhere.onnx"}, {"model": "lenet5", "backends": ["nolibrary"]}, {"model": 3}):
                try:
                    assay.check(**words)
                    print("no error")
                except assay.Error as e:
                    print(e.status, e)
        """)
        self.assertRegex(said, r"^2 .*'nowhere.onnx'.*\n2 .*'nolibrary'.*\n2 .*not int\n$")
        self.python("""
            import assay
            assert repr(assay.Error) == "<class 'assay.Error'>", repr(assay.Error)
            said = repr(assay.check("lenet5", ["reference"]))
            assert said.startswith("Report(model='lenet5', ") and "None" not in said, said
        """)

    def test_run(self):
        self.python(f"""
            import assay
            y = assay.run({LINEAR!r}, "ort", inputs={{"x": {X!r}}})["y"]
            assert (y.dtype, y.shape, y.tolist()) == ("<f4", (2, 2), [1.5, 3.0, 0.0, 2.5]), y
            assert y.__array_interface__["typestr"] == "<f4"
            assert assay.run({LINEAR!r}, dims={{"N": 4}})["y"].shape == (4, 2)
        """)

    # ---- the plugin

    def test_plugin_passes(self):
        said = self.pytest(f"""
            def test_right(assert_right):
                assert assert_right({LINEAR!r}).backends[0].backend == "ort"
        """, "--assay-backends", "ort,reference")
        self.assertIn("1 passed", said)

    def test_plugin_fails(self):
        said = self.pytest(f"""
            def test_wrong(assert_right):
                assert_right("lenet5", ["ort", {WRONG!r}])
        """, status=1)
        self.assertIn("lenet5: 1 of 2 backends wrong", said)
        self.assertRegex(said, rf"E +{WRONG} [0-9.]+: wrong")
        self.assertRegex(said, r"E +output 'probabilities', element \d: got [0-9.e-]+, expected [0-9.e-]+")
        self.assertIn("blamed: Conv 'conv1'", said)
        self.assertNotIn("checks.py", said)

    def test_plugin_tells_what_is_refused(self):
        said = self.pytest("""
            def test_missing(assert_right):
                assert_right("nowhere.onnx", ["reference"])
        """, status=1)
        self.assertRegex(said, r"E +assay.Error: cannot open 'nowhere.onnx'")
        self.assertNotIn("program.py", said)


if __name__ == "__main__":
    if not os.path.isdir(os.path.join(DEPS, "python", "pytest")):
        print(f"skipped: no pytest in '{DEPS}/python'; 'scripts/setup --ci' fetches it")
        sys.exit(1 if os.environ.get("ASSAY_REQUIRE_REPORT_TOOLS") else SKIPPED)
    unittest.main(argv=sys.argv[:1])
