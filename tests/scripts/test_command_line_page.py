#!/usr/bin/env python3
"""docs/command-line.md has a section for each verb and names each of its options, and no others."""

import glob
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OPTION = re.compile(r"""\{(?:0|'(\w)'), "([a-z0-9-]+)", """)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def sections():
    """Text of each section, by each name in its heading."""
    parts = re.split(r"^## (.*)\n", read("docs/command-line.md"), flags=re.MULTILINE)[1:]
    return {name: text for head, text in zip(parts[::2], parts[1::2]) for name in head.split(", ")}


def verbs():
    return re.findall(r'^VERB\((\w+), "([\w-]+)"', read("src/cli/verbs.def"), re.MULTILINE)


def options(verb):
    """(letter, name) of those in the verb's own file; what several verbs share is in model_job.h."""
    return sorted(set(OPTION.findall(read(f"src/cli/cmd_{verb}.c"))))


def names(letter, option, text):
    """Whether a section names the option; its JSON need not be a row of a table."""
    return re.search(rf"--{option}\b(?!-)", text) or (letter and re.search(rf"[ `]-{letter}\b", text)) or \
        (option == "json" and "JSON:" in text)


class CommandLinePage(unittest.TestCase):
    def test_every_option_has_a_place(self):
        page, found, missing = sections(), 0, []
        for verb, name in verbs():
            self.assertIn(name, page)
            found += len(options(verb))
            missing += [f"{name} --{option}" for letter, option in options(verb)
                        if not names(letter, option, page[name])]
        self.assertGreater(found, 150)  # else the pattern above no longer finds them
        self.assertEqual(missing, [])

    def test_every_option_exists(self):
        known = {option for path in glob.glob(os.path.join(ROOT, "src", "cli", "*.[ch]"))
                 for _, option in OPTION.findall(read(path))} | {"all", "help"}
        page = read("docs/command-line.md")
        named = {option for cell in re.findall(r"^\| ([^|]*(?:\\\|[^|]*)*) \|", page, re.MULTILINE)
                 for option in re.findall(r"`(?:-\w, )?--([a-z0-9-]+)", cell)}
        self.assertGreater(len(named), 100)
        self.assertEqual(sorted(named - known), [])


if __name__ == "__main__":
    unittest.main()
