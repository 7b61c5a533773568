"""How a file looks: its head, its length, its lines, and what clang-format says."""

import os
import re
import shutil
import subprocess

MAX_COLUMNS, TAB = 120, 8
MAX_LINES = 500
LONG_FUNCTION = 80
CLANG_FORMAT_MAJOR = "14"  # another version breaks lines elsewhere
HOST = re.compile(r"\b(pypi|pythonhosted|npmjs|crates|maven|debian|ubuntu)\.(org|com|io)\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(root|home/\w+|work|Users/\w+|tmp/w)/")


def rule_head(source):
    """The first line says what the file is; of a test, its name tells that already."""
    if source.path.startswith("tests/"):
        if source.is_c and not source.text.startswith("/*"):
            yield 1, "does not begin with a comment that says what it is"
    elif source.is_c and not source.text.startswith(f"/* {os.path.basename(source.path)} - "):
        yield 1, f"does not begin with '/* {os.path.basename(source.path)} - what it is'"


def rule_length(source):
    """A list of rows may be as long as it likes."""
    count = source.text.count("\n")
    has_limit = source.path.endswith((".css", ".js")) or (source.is_code and not source.path.endswith(".def"))
    if has_limit and count > MAX_LINES:
        yield count, f"{count} lines, at most {MAX_LINES}: split it by subject"


def rule_function(source):
    """Functions begin with { and end with } in the first column."""
    if not source.is_c:
        return
    start = None
    for number, line in enumerate(source.code.split("\n"), 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start > LONG_FUNCTION:
                yield start, f"a function of {number - start} lines", "warning"
            start = None


def rule_divider(source):
    """A line across the page is one line: clang-format wraps a longer one and leaves its end alone on the next."""
    if source.is_c:
        for number, line in source.lines():
            if line.startswith("/* ---") and not line.endswith("--- */"):
                yield number, "a divider that does not end on its own line"


def rule_columns(source):
    if source.is_code:
        for number, line in source.lines():
            width = len(line.expandtabs(TAB))
            if width > MAX_COLUMNS:
                yield number, f"{width} columns, at most {MAX_COLUMNS}"


def rule_blanks(source):
    for number, line in source.lines():
        if line.endswith("\r"):
            yield number, "carriage return at the end of the line"
        elif line != line.rstrip(" \t"):
            yield number, "blanks at the end of the line"
    if source.text and not source.text.endswith("\n"):
        yield source.text.count("\n") + 1, "no newline at the end of the file"


def rule_places(source):
    for number, line in source.lines():
        for regex, what in ((HOST, "names a registry's host"), (MACHINE_PATH, "names a path of one machine")):
            found = regex.search(line)
            if found:
                yield number, f"'{found.group()}' {what}"


def rule_format(root, sources):
    """As .clang-format says.  Without that version of clang-format nothing was checked, and that is an offence too."""
    if not os.path.exists(os.path.join(root, ".clang-format")):
        return
    there = shutil.which("clang-format")
    version = subprocess.run([there, "--version"], stdout=subprocess.PIPE, text=True).stdout if there else "none"
    if f"version {CLANG_FORMAT_MAJOR}." not in version:
        yield ".clang-format", 1, f"not checked: it takes clang-format {CLANG_FORMAT_MAJOR}, here is {version.strip()}"
        return
    files = [s.path for s in sources if s.is_c]
    if not files:
        return
    done = subprocess.run(["clang-format", "--dry-run", "-ferror-limit=1", *files], cwd=root,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for found in re.finditer(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", done.stdout, re.MULTILINE):
        yield found.group(1), int(found.group(2)), "not formatted: run make format"


FILE_RULES = [rule_head, rule_length, rule_function, rule_divider, rule_columns, rule_blanks, rule_places]
TREE_RULES = [rule_format]
