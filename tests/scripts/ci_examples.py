#!/usr/bin/env python3
"""examples/ci: ci_examples.py ASSAY

Takes the commands out of the workflows (`run:` lines) and holds each call of assay against what the program knows: its
verb, its options, whether an option takes a value, and the names of libraries.  The checks of a model are run as well,
with the reference in the place of the libraries.
"""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ASSAY = os.path.abspath(sys.argv[1])


def said(*words, **more):
    return subprocess.run([ASSAY, *words], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def commands():
    """[(file, words)] of each call of assay."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "ci", "*.yml"))):
        with open(path) as f:
            lines = re.findall(r"(?m)^ +(?:- )?run: (.+)$", f.read())
        calls = [line.split(" || ")[0] for line in lines if line.startswith("assay ")]
        found += [(os.path.basename(path), shlex.split(call)[1:]) for call in calls]
    return found


def options_of(verb):
    """{option: takes a value}, long and short."""
    options = {}
    for short, name, value in re.findall(r"(?m)^  (?:(-\w), |    )(--[a-z-]+)( [^ ]+)?  ", said("help", verb) + "  "):
        options[name] = options[short or name] = bool(value)
    return options


def parse(words):
    """Options with their values, and arguments; KeyError for an option that is not there."""
    known, options, arguments, at = options_of(words[0]), [], [], 1
    while at < len(words):
        if not words[at].startswith("-"):
            arguments.append(words[at])
        elif known[words[at]]:
            options.append((words[at], words[at + 1]))
            at += 1
        else:
            options.append((words[at], None))
        at += 1
    return options, arguments


class Examples(unittest.TestCase):
    def test_commands(self):
        all_commands = commands()
        self.assertEqual({name for name, _ in all_commands}, {"library.yml", "model.yml"})
        self.assertGreaterEqual(len(all_commands), 7)
        names = set(re.findall(r"(?m)^  (\w+) ", said("backends", "list").split("can be installed")[1]))
        for name, words in all_commands:
            with self.subTest(file=name, command=words):
                options, arguments = parse(words)
                libraries = arguments[1:] if words[:2] == ["backends", "install"] else []
                for option, value in options:
                    libraries += value.split(",") if option in ("-b", "--baseline") else []
                for library in libraries:
                    self.assertIn(re.split("[@:=]", library)[0], names)

    def test_parser_refuses(self):
        """The check above can fail."""
        with self.assertRaises(KeyError):
            parse(["check", "m.onnx", "--no-such-option"])

    def test_model_runs(self):
        """The steps of model.yml, with the reference as the one library: all right, then a defect planted."""
        steps = [words for name, words in commands() if name == "model.yml" and words[0] in ("check", "report")]
        self.assertEqual([words[0] for words in steps], ["check", "report"])
        for library, status in (("reference", 0), ("fault:kernel_mirrored", 1)):
            with tempfile.TemporaryDirectory() as folder:
                said("zoo", "get", "lenet5", "-o", "model.onnx", cwd=folder)
                check = [library if word == "ort,openvino" else word for word in steps[0]]
                done = subprocess.run([ASSAY, *check], cwd=folder, stdout=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, status, done.stdout)
                if status:
                    said(*steps[1], cwd=folder)
                    self.assertEqual(sorted(os.listdir(folder)), ["assay.db", "assay.html", "assay.xml", "model.onnx"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
