"""Files of the source tree, as the rules see them."""

import os
import re

SKIPPED_FOLDERS = re.compile(r"\.git|\.deps|build.*|corpus|cradle-runs|keras2-runs|__pycache__")
C_FILE = re.compile(r".*\.[ch]")
CODE_FILE = re.compile(r".*\.(c|h|cpp|def|py|proto|sql|cmake)|(.*/)?(Makefile|CMakeLists\.txt)")
DATA_FILE = re.compile(r"LICENSE|.*\.(onnx|pb|npy|npz|png|bin|zip)")


class Source:
    """One file: its path below the root, its text, and for C the text without comments and literals."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8", newline="") as f:
            self.text = f.read()
        self.is_c = bool(C_FILE.fullmatch(path))
        self.is_code = bool(CODE_FILE.fullmatch(path)) or self.text.startswith("#!")
        self.code = blank(self.text) if self.is_c else self.text

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def lines(self):
        return enumerate(self.text.split("\n"), 1)


def blank(text):
    """C text of the same length and lines, with comments and the insides of literals replaced by blanks."""
    tokens = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

    def cover(match):
        token = match.group()
        if token[0] == "/":
            return re.sub(r"[^\n]", " ", token)
        return token[0] + " " * (len(token) - 2) + token[-1]

    return tokens.sub(cover, text)


def without_directives(code):
    """C text of the same length and lines, with blanks in the place of what the preprocessor reads."""
    directive = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
    return directive.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), code)


def read_tree(root):
    sources = []
    for folder, below, names in os.walk(root):
        below[:] = sorted(d for d in below if not SKIPPED_FOLDERS.fullmatch(d))
        for name in sorted(n for n in names if n != ".git"):  # a file in a linked work tree
            path = os.path.relpath(os.path.join(folder, name), root)
            if DATA_FILE.fullmatch(path) or os.path.islink(os.path.join(root, path)):
                continue
            try:
                sources.append(Source(root, path))
            except UnicodeDecodeError:
                continue  # no text
    return sources


def includes(source):
    """(line, name) of each #include "name"."""
    for found in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]*)"', source.text, re.MULTILINE):
        if source.code[found.end() - 1] == '"':  # not inside a comment
            yield source.line_of(found.start()), found.group(1)
