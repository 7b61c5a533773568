"""Bindings: rows of `<library>_rows_<family>[]` at the end of the family's file, the same way in every library."""

import os
import re

TABLE = re.compile(r"^const struct binding (\w+?)_rows_(\w+)\[\] = \{$(.*?)^\};$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r'\{"([\w.:]+)", (\w+), (?:NULL|"[^"\n]*")\},(?: /\*.*\*/)?')


def rule_bindings(root, sources):
    """Tables are named after their files and listed, functions are run_…, and no operator is bound twice."""
    folders = {}
    for source in sources:
        if re.fullmatch(r"src/backends/\w+/\w+\.c", source.path):
            folders.setdefault(os.path.dirname(source.path), []).append(source)
    for folder in folders.values():
        bound = {}
        for source in folder:
            for table in TABLE.finditer(source.text):
                at = source.line_of(table.start())
                name = f"{table.group(1)}_rows_{table.group(2)}"
                if os.path.basename(source.path) != f"{table.group(2)}.c":
                    yield source.path, at, f"'{name}' is not named after its file"
                if not any(re.search(rf"\b{name}\b", s.code) for s in folder if s is not source):
                    yield source.path, at, f"'{name}' is in no list of families"
                for line, text in enumerate(table.group(3).split("\n"), at):
                    row = ROW.fullmatch(text.strip())
                    if not row and text.strip() not in ("", "{0},"):
                        yield source.path, line, 'a row of bindings is {"Operator", run_function, "native" or NULL}'
                    if row and not row.group(2).startswith("run_"):
                        yield source.path, line, f"the binding '{row.group(2)}' is not called run_…"
                    if row and row.group(1) in bound:
                        yield source.path, line, f"'{row.group(1)}' is bound in {bound[row.group(1)]} too"
                    if row:
                        bound[row.group(1)] = f"{source.path}:{line}"


TREE_RULES = [rule_bindings]
