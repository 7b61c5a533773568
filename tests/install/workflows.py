#!/usr/bin/env python3
"""examples/ci as GitHub would run them: workflows.py SOURCE BUILD DEPS

Every `run:` step of both files runs in order, with bash as GitHub starts it, in a folder and a home of its own, with
the wheel in a virtual environment.  `uses:` steps are done by hand: the checkout is a folder with models, Python is the
virtual environment, and the cache is this machine's.  `./build.sh` stands for the build of your library: it copies
ONNX Runtime.  --time is cut to seconds.  Nothing else is changed.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv

from workflow_steps import steps_of

SOURCE, BUILD, DEPS = map(os.path.abspath, sys.argv[1:4])
ORT = "1.31.1"
PADDED = os.path.join(SOURCE, "tests", "fixtures", "padded.onnx")
USED = {"actions/checkout@v4", "actions/setup-python@v5", "actions/cache@v4", "actions/upload-artifact@v4"}
CACHE = os.environ.get("ASSAY_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "assay", "packages")


class Workflows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.at = folder.name
        cls.wheels = os.path.join(cls.at, "wheels")
        subprocess.run([sys.executable, os.path.join(SOURCE, "scripts", "make-wheel"), BUILD, cls.wheels], check=True,
                       stdout=subprocess.DEVNULL)

    def checkout(self, name):
        """A folder as a checkout, with the wheel of a release in it, a home and a Python of its own."""
        self.home, self.venv, work = (os.path.join(self.at, name, part) for part in ("home", "python", "work"))
        os.makedirs(self.home)
        venv.create(self.venv, with_pip=True)
        os.makedirs(os.path.join(work, "models"))
        for wheel in glob.glob(os.path.join(self.wheels, "*.whl")):
            shutil.copy(wheel, work)
        return work

    def shell(self, command, work):
        """As GitHub runs a step that names no shell."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        environment = {**kept, "HOME": self.home, "CI": "true", "ASSAY_CACHE": CACHE, "ASSAY_PATIENCE": "20",
                       "PATH": os.path.join(self.venv, "bin") + ":/usr/bin:/bin"}
        done = subprocess.run(["bash", "-e", "-c", command], cwd=work, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.said += f"$ {command}\n{done.stdout}[status {done.returncode}]\n"
        return done.returncode

    def follow(self, name, work):
        """Runs the steps; the job's outcome, and the commands that ran."""
        failed, ran, self.said = False, [], ""
        for step in steps_of(os.path.join(SOURCE, "examples", "ci", name)):
            when = step.get("if", "success()")
            self.assertIn(when, ("success()", "failure()", "always()"))
            if when != "always()" and failed != (when == "failure()"):
                continue
            if "uses" in step:
                self.assertIn(step["uses"], USED)
                continue
            command = re.sub(r"--time \w+", "--time 5s", step["run"])
            ran.append(command.split(" -")[0])
            if self.shell(command, work) and step.get("continue-on-error") != "true":
                failed = True
        return failed, ran

    def assay(self, work, *words):
        return subprocess.run([os.path.join(BUILD, "assay"), *words], cwd=work, check=True, stdout=subprocess.PIPE,
                              text=True, env={**os.environ, "ASSAY_DEPS": DEPS}).stdout

    def test_model(self):
        """A model that is right passes; what follows a failure is left out."""
        work = self.checkout("model")
        self.assay(work, "zoo", "get", "lenet5", "-o", "model.onnx")
        failed, ran = self.follow("model.yml", work)
        self.assertFalse(failed, self.said)
        self.assertEqual(ran, ["pip install assay-*.whl", "assay backends install ort openvino",
                               "assay check model.onnx"])
        self.assertIn("model.onnx: 13 nodes", self.said)
        self.assertFalse(os.path.exists(os.path.join(work, "assay.html")))

    def test_model_wrong(self):
        """A bug of ONNX Runtime's (findings/ort/pad-maxpool.py) is in the model: red, with a report."""
        work = self.checkout("wrong")
        shutil.copy(PADDED, os.path.join(work, "model.onnx"))
        failed, ran = self.follow("model.yml", work)
        self.assertTrue(failed, self.said)
        self.assertEqual(ran[-1], "assay report")
        self.assertRegex(self.said, r"(?m)^  ort +wrong ")
        self.assertRegex(self.said, r"(?m)^  openvino\S* +(agree|rounding) ")
        for name in ("assay.html", "assay.xml", "assay.db"):
            self.assertTrue(os.path.exists(os.path.join(work, name)), self.said)

    def test_library(self):
        """The release as a build: nothing is worse than in the release, and fuzz fills a page."""
        work = self.checkout("library")
        self.assay(work, "zoo", "get", "lenet5", "-o", "models/lenet5.onnx")
        shutil.copy(PADDED, os.path.join(work, "models"))  # wrong before and after: not new
        with open(os.path.join(work, "build.sh"), "w") as f:
            f.write("#!/bin/bash\nset -e\nmkdir -p build/Linux/Release\n"
                    f"cp '{DEPS}/backends/ort/{ORT}/lib/'libonnxruntime*.so* build/Linux/Release\n")
        os.chmod(os.path.join(work, "build.sh"), 0o755)
        failed, ran = self.follow("library.yml", work)
        self.assertFalse(failed, self.said)
        self.assertEqual([command.split()[:2] for command in ran],
                         [["./build.sh"], ["pip", "install"], ["assay", "backends"], ["assay", "gate"],
                          ["assay", "fuzz"], ["assay", "report"]])
        for name in ("gate.xml", "fuzz.html"):
            self.assertTrue(os.path.exists(os.path.join(work, name)), self.said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
