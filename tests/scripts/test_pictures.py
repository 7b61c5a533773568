"""The pictures of README.md are what scripts/make-pictures makes of their lines."""

import html
import os
import re
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def script():
    path = os.path.join(ROOT, "scripts", "make-pictures")
    module = types.ModuleType("make_pictures")
    module.__file__ = path
    with open(path, encoding="utf-8") as f:
        exec(compile(f.read(), path, "exec"), module.__dict__)  # pylint: disable=exec-used
    return module


class Terminal(unittest.TestCase):
    def setUp(self):
        self.script = script()
        with open(os.path.join(self.script.FOLDER, "terminal.svg"), encoding="utf-8") as f:
            self.picture = f.read()
        codes = {colour: code for code, colour in self.script.COLOURS.items()}
        coloured = re.sub(r'<tspan fill="(.*?)">(.*?)</tspan>',
                          lambda found: f"\x1b[{codes[found.group(1)]}m{found.group(2)}\x1b[0m", self.picture)
        self.lines = [html.unescape(line) for line in re.findall(r"<text .*?>(.*?)</text>", coloured)]

    def test_it_has_no_hidden_lines(self):
        self.assertEqual([line for line in self.lines if self.script.HIDDEN.match(line)], [])

    def test_it_is_what_the_script_makes_of_its_lines(self):
        self.assertEqual(self.script.terminal(self.lines), self.picture)

    def test_it_shows_the_commands(self):
        shown = [line for line in self.lines if line.startswith("$ ")]
        self.assertEqual(shown, [f"$ assay {command}" for command in self.script.COMMANDS])

    def test_lines_below_the_counts_are_hidden(self):
        for line in ("unjudged: there is nothing to judge it by", "vacuous: it agrees, but that proves little"):
            self.assertTrue(self.script.HIDDEN.match(line))


if __name__ == "__main__":
    unittest.main()
