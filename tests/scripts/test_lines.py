#!/usr/bin/env python3
"""workers/python/lines.py: which lines of a library's own code were run, in a toy library and through a worker."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORKERS = os.path.join(ROOT, "workers", "python")
sys.path.insert(0, WORKERS)
import assay_worker  # noqa: E402
import lines  # noqa: E402

TOY = """\
import helper

def sign(x):
    if x < 0:
        return -1
    return 1

def squares(n):
    return [k * k for k in range(n)]

def busy(n):
    helper.work(n)
    if n == -1:
        return 0
    return 1
"""
HELPER = """\
def work(n):
    return n
"""


class Library(unittest.TestCase):
    """A toy library, whose lines are told."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        os.mkdir(os.path.join(cls.folder.name, "toy"))
        for name, text in (("toy/__init__.py", TOY), ("helper.py", HELPER)):
            with open(os.path.join(cls.folder.name, name), "w") as f:
                f.write(text)
        sys.path.insert(0, cls.folder.name)
        import toy
        cls.toy = toy

    @classmethod
    def tearDownClass(cls):
        sys.path.remove(cls.folder.name)
        cls.folder.cleanup()

    def setUp(self):
        self.path = os.path.join(self.folder.name, "told")
        if os.path.exists(self.path):
            os.remove(self.path)
        self.lines = lines.Lines(self.path, ("toy", "nosuch"))

    def told(self, call, *arguments):
        """What one call adds to the file."""
        with self.lines:
            call(*arguments)
        if not os.path.exists(self.path):
            return []
        with open(self.path) as f:
            text = f.read()
        os.remove(self.path)
        return [int(line.removeprefix("toy/__init__.py:")) for line in text.split()]


class Toy(Library):
    def test_new_lines_once(self):
        self.assertEqual(self.told(self.toy.sign, 1), [4, 6])
        self.assertEqual(self.told(self.toy.sign, 2), [])
        self.assertEqual(self.told(self.toy.sign, -1), [5])

    def test_lines_inside_of_others(self):
        self.assertEqual(set(self.told(self.toy.squares, 3)), {9})

    def test_other_packages_do_not_count(self):
        self.assertEqual(self.told(self.toy.busy, 1), [12, 13, 15])

    def test_not_watched_for_ever(self):
        for _ in range(lines.QUIET + 1):
            self.told(self.toy.busy, 1)
        self.assertEqual(self.told(self.toy.busy, -1), [])
        self.assertEqual(self.told(self.toy.sign, 1), [4, 6])

    def test_what_fails_is_told(self):
        with self.assertRaises(TypeError):
            self.told(self.toy.sign, "x")
        self.assertIsNone(sys.gettrace())
        with open(self.path) as f:
            self.assertEqual(f.read(), "toy/__init__.py:4\n")

    def test_without_the_option(self):
        with lines.watching({}, ("toy",)):
            self.toy.sign(1)
        self.assertFalse(os.path.exists(self.path))


class Backend:
    """Loads a model by sign(1) of the toy library, and runs it by squares(2)."""
    library = "toy"

    def open(self, folder, options):
        import toy
        self.toy = toy
        return "1"

    def load(self, model, options, outputs):
        return self.toy.sign(1)

    def outputs(self, session):
        return []

    def run(self, session, inputs, names):
        self.toy.squares(2)
        return []


class Requests(Library):
    """Through the worker's requests."""

    def tells(self, options):
        worker = assay_worker.Worker.__new__(assay_worker.Worker)
        worker.backend, worker.sessions, worker.next_session, worker.orders = Backend(), {}, 1, None
        worker.opened = False
        worker.get_options = lambda values: options
        told = []
        for request in (lambda: worker.hello({1: [1]}), lambda: worker.load({1: [b"m"]}), lambda: worker.run({1: [1]})):
            told.append(set(self.told(request)))
        return told

    def test_load_and_run_are_watched(self):
        self.lines = lines.watching({}, ())
        self.assertEqual(self.tells({"lines": self.path}), [set(), {4, 6}, {9}])
        self.assertEqual(self.tells({}), [set(), set(), set()])


class Rewriter(unittest.TestCase):
    """Through rewriters.py: what a rewriter is configured with."""

    def test_watched(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "toy2.py"), "w") as f:
                f.write("def rewrite(model):\n    return model\n")
            program = textwrap.dedent(f"""
                import sys
                sys.path[:0] = [{folder!r}, {WORKERS!r}]
                import rewriters, toy2
                toy2.__path__ = [{folder!r}]
                configure = rewriters.watched(lambda options: toy2.rewrite, ("toy2",))
                assert configure({{"lines": {folder!r} + "/told"}})(b"m") == b"m"
                assert configure({{}})(b"m") == b"m"
                """)
            subprocess.run([sys.executable, "-c", program], check=True)
            with open(os.path.join(folder, "told")) as f:
                self.assertEqual(f.read(), os.path.basename(folder) + "/toy2.py:2\n")


if __name__ == "__main__":
    unittest.main()
