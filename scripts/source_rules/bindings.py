"""Bindings: rows of `<library>_rows_<family>[]` at the end of the family's file, the same way in every library."""

import os
import re

TABLE = re.compile(r"^const struct binding (\w+?)_rows_(\w+)\[\] = \{$(.*?)^\};$", re.MULTILINE | re.DOTALL)
OPERATOR = re.compile(r'^OP\((\w+), "([\w.]*)", "(\w+)"', re.MULTILINE)
ROW = re.compile(r'\{"([\w.:]+)", (\w+), (?:NULL|"[^"\n]*")\},(?: /\*.*\*/)?')


def operators(sources):
    """The id of each operator, by the name that rows of bindings have for it."""
    for source in (s for s in sources if s.path == "src/ops/ops.def"):
        return {f"{domain}:{name}" if domain else name: i for i, domain, name in OPERATOR.findall(source.text)}
    return {}


def check_rows(source, first, text, bound):
    """Offences of the rows of one table, whose first line is that; `bound` gets the operators."""
    functions = {}  # name: [(line, operator)]
    for line, row in enumerate(text.split("\n"), first):
        found = ROW.fullmatch(row.strip())
        if found:
            operator, function = found.groups()
            functions.setdefault(function, []).append((line, operator))
            if operator in bound:
                yield source.path, line, f"'{operator}' is bound in {bound[operator]} too"
            bound[operator] = f"{source.path}:{line}"
        elif row.strip() not in ("", "{0},"):
            yield source.path, line, 'a row of bindings is {"Operator", run_function, "native" or NULL}'
    return functions


def rule_bindings(root, sources):
    """Tables have the names of their files and are listed, functions those of their operators; none is bound twice."""
    ids, folders = operators(sources), {}
    for source in sources:
        if re.fullmatch(r"src/backends/\w+/\w+\.c", source.path):
            folders.setdefault(os.path.dirname(source.path), []).append(source)
    for folder in folders.values():
        bound = {}
        for source, table in ((s, t) for s in folder for t in TABLE.finditer(s.text)):
            at, family = source.line_of(table.start()), table.group(2)
            name = f"{table.group(1)}_rows_{family}"
            if os.path.basename(source.path) != f"{family}.c":
                yield source.path, at, f"'{name}' is not named after its file"
            if not any(re.search(rf"\b{name}\b", s.code) for s in folder if s is not source):
                yield source.path, at, f"'{name}' is in no list of families"
            functions = yield from check_rows(source, at, table.group(3), bound)
            for function, rows in functions.items():
                line, operator = rows[0]
                if not function.startswith("run_"):
                    yield source.path, line, f"the binding '{function}' is not called run_…"
                elif len(rows) == 1 and function != "run_" + ids.get(operator, function[4:]):
                    yield source.path, line, f"'{function}' binds {operator} alone: call it run_{ids[operator]}"


TREE_RULES = [rule_bindings]
