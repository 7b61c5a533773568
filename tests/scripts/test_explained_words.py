#!/usr/bin/env python3
"""Every word that heads a table or stands in a status screen has an entry in docs/glossary.md, so that `assay explain`
knows it.  The words are read out of the sources and of the index of findings: a new one fails here until it is there.
So have the words that the pages use again and again, and those that a page defines for itself.
"""

import glob
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBERED = re.compile(r"(?:^|[,;:]|  )\s*([A-Za-z][A-Za-z ]*?) %(?:zu|lld|\.1f)")
PLAIN = {"in", "of", "run", "tried", "all", "and", "more libraries", "over", "running", "with a valid call", "now",
         "model", "models", "seconds", "operators", "operator",
         "conform", "ops judge", "by hand", "not recorded"}  # what they say in plain English
# Words that the pages use three times or more.
OFTEN = ("batch block bundle case claim corpus decision doubt draw eager edge ends fault filler finding form fuse "
         "fusion guard kernel kink lane lawful load mutation noise nudge opset oracle overflow pair peer plan "
         "promise qdq quirk registry rewriter rule sampler seed segment shard signature store subnormal tie "
         "tolerance translation turn verdict wire worker").split()


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def plain(word):
    return re.sub(r"[\s_-]+", " ", word.strip().lower())


def explained():
    """Words of all entries, and names of groups, which have entries for all of theirs."""
    heads = re.findall(r"^##+ (.*)$", read("docs/glossary.md"), re.MULTILINE)
    return {plain(word) for head in heads for word in head.split(",")}


def of_indexes():
    """Heads of tables in the index of findings and in that by operator."""
    for path in "docs/findings/README.md", "docs/findings/operators.md", "docs/findings/classes.md":
        for head in re.findall(r"^\|(.*)\|\n\|[-|]+\|$", read(path), re.MULTILINE):
            yield from ((path, word) for word in head.split("|") if word.strip())


def of_terminal():
    """Heads of tables on a terminal: rows of `struct term_column`."""
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True):
        for table in re.findall(r"struct term_column \w+\[\w*\] = \{(.*?)\};", read(path), re.DOTALL):
            for row in re.findall(r"\{([^{}]*)\}", table):
                yield from ((path, word.replace("%", "")) for word in re.findall(r'"([^"]+)"', row))


def prose():
    """Text of the pages, without the glossary and lists that programs write."""
    paths = ["README.md"] + [os.path.relpath(path, ROOT) for folder in ("docs", "docs/methods")
                             for path in glob.glob(os.path.join(ROOT, folder, "*.md"))]
    return {path: read(path) for path in paths if os.path.basename(path) not in ("glossary.md", "conformance.md")}


def of_pages():
    """Words that a page defines: '*WORD*' at the beginning of a list behind 'Words of this page:'."""
    for path, text in prose().items():
        for part in re.findall(r"Words of this page:\n\n((?:(?:- |  ).*\n)+)", text):
            yield from ((path, word) for word in re.findall(r"^- An? \*([\w -]+)\*", part, re.MULTILINE))


def of_tallies():
    """The table below a run."""
    yield from (("src/base/tally.h", word) for word in re.findall(r'X\(\w+, "(.*?)"\)', read("src/base/tally.h")))


def of_page():
    """Columns of the page."""
    table = re.search(r"\} columns\[\] = \{(.*?)\n\};", read("src/report/html.c"), re.DOTALL).group(1)
    yield from (("src/report/html.c", word) for word in re.findall(r'\{"\w+", "(.*?)"', table))


def of_screens():
    """Status screens: the word that a line begins with, and words in front of a number, behind a comma or alone."""
    for path in glob.glob(os.path.join(ROOT, "src", "cli", "*status.c")):
        for line in re.findall(r'buf_p(?:rintf|uts)\([^;]*?"(.*?)\\n"', read(path), re.DOTALL):
            begin = re.match(r"([a-z]+(?: [a-z]+)?)  ", line)
            if begin:
                yield path, begin.group(1)
                line = line[begin.end():]
            yield from ((path, word) for word in NUMBERED.findall(line))


class ExplainedWords(unittest.TestCase):
    def missing(self, words, least):
        known, words = explained() | PLAIN, list(words)
        self.assertGreaterEqual(len(words), least)  # else the pattern above no longer finds them
        self.assertEqual(sorted({(os.path.basename(path), word.strip()) for path, word in words
                                 if plain(word) not in known}), [])

    def test_indexes_of_findings(self):
        self.missing(of_indexes(), 20)

    def test_tables_on_a_terminal(self):
        self.missing(of_terminal(), 20)

    def test_tallies(self):
        self.missing(of_tallies(), 6)

    def test_columns_of_the_page(self):
        self.missing(of_page(), 7)

    def test_words_that_pages_define(self):
        self.missing(of_pages(), 5)

    def test_words_that_pages_use_often(self):
        text = " ".join(prose().values()).lower()
        self.missing((("the pages", word) for word in OFTEN), 50)
        seldom = [word for word in OFTEN if len(re.findall(rf"\b{word}(?:s|es|d|ed)?\b", text)) < 3]
        self.assertEqual(seldom, [])

    def test_status_screens(self):
        self.missing(of_screens(), 25)


if __name__ == "__main__":
    unittest.main()
