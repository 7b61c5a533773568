"""Names mean one thing in all of src/."""

import re

from source_rules.source import without_directives


def enumerators(code):
    """(offset, name) of each constant of each enum; those that a macro makes of rows are its rows' business."""
    for found in re.finditer(r"\benum(?:\s+\w+)?\s*\{([^}]*)\}", without_directives(code)):
        at = found.start(1)
        for part in found.group(1).split(","):
            name = re.fullmatch(r"\s*(\w+)\s*(=.*)?", part, re.DOTALL)
            if name:
                yield at + name.start(1), name.group(1)
            at += len(part) + 1


def rule_names(root, sources):
    """A name of a struct, union or enum means one thing in all of src/, and so does a constant that a header has.

    The compiler minds neither two files that each have their own `struct step`, nor two headers that never meet; a
    reader, a debugger and a search do.  Shims are C++ and no part of the program.
    """
    tags, constants = {}, {}  # name: where it is
    ours = [s for s in sources if s.is_c and re.match(r"src/(?!backends/\w+/shim)", s.path)]
    for source in sorted(ours, key=lambda s: s.path[-1] != "h"):
        for found in re.finditer(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", source.code):
            name, line = found.group(1), source.line_of(found.start())
            if name in tags:
                yield source.path, line, f"'{name}' is in {tags[name]} too: let its name say whose it is"
            tags.setdefault(name, f"{source.path}:{line}")
        for offset, name in enumerators(source.code):
            line = source.line_of(offset)
            if name in constants:
                yield source.path, line, f"'{name}' is in {constants[name]} too: let its name say whose it is"
            if source.path.endswith(".h"):
                constants.setdefault(name, f"{source.path}:{line}")


TREE_RULES = [rule_names]
