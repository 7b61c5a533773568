"""No function has more than seven parameters: what belongs together is a struct."""

import re

from source_rules.source import without_directives

MAX_PARAMETERS = 7
# Functions that another library calls, with the parameters that it has.
FIXED_BY_OTHERS = {"src/serve/server.c": ("take_request",)}  # libmicrohttpd's handler of requests


def closing(code, start):
    """The place behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(code)):
        depth += code[i] in "([{"
        depth -= code[i] in ")]}"
        if depth == 0:
            return i + 1
    return len(code)


def without_bodies(code):
    """C text of the same length without what stands in the braces of functions and initializers."""
    tag = re.compile(r"\b(struct|union|enum)(\s+\w+|\s+\w+\(\w+\))?\s*$")
    kept, at = [], 0
    while at < len(code):
        end = at + 1
        if code[at] == "{" and not tag.search(code[max(0, at - 100):at]):
            end = closing(code, at)
            kept.append("{" + re.sub(r"[^\n]", " ", code[at + 1:end - 1]) + "}")
        else:
            kept.append(code[at])
        at = end
    return "".join(kept)


def parameters(code):
    """(offset, name, number of parameters) of what declares or defines a function, a pointer to one or its type."""
    name = re.compile(r"(?:\(\s*\*\s*(?:const\s+)?(\w+)(?:\[[^\]]*\])*\s*\)|\bCORE\((\w+)\)|\b(\w+))\s*\((?!\s*\*)")
    begin, at = 0, 0
    while True:
        found = name.search(code, at)
        if not found:
            return
        end = closing(code, found.end() - 1)
        at = end
        begin = max([begin] + [code.rfind(c, 0, found.start()) + 1 for c in ";{}#"])
        before, behind = code[begin:found.start()], code[end:].lstrip()
        if found.group(3) == "__attribute__":
            continue
        if re.search(r"\w", before) and not re.search(r"=", before) and re.match(r"[;{,)\\]|__attribute__", behind):
            inside = code[found.end():end - 1]
            commas = len(re.sub(r"\([^()]*(\([^()]*\)[^()]*)*\)", "", inside).split(","))
            yield (found.start(), found.group(1) or found.group(2) or found.group(3),
                   0 if inside.strip() in ("", "void") else commas)
        else:
            begin = end  # a macro that is used


def rule_parameters(source):
    """Those of macros are looked at by themselves."""
    if not source.is_c or not source.path.startswith("src/"):
        return
    define = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
    plain = without_directives(source.code)
    texts = [(0, plain)] + [(m.start(1), m.group(1).replace("\\\n", " \n")) for m in define.finditer(source.code)]
    for start, text in texts:
        for offset, name, count in parameters(without_bodies(text)):
            if count > MAX_PARAMETERS and name not in FIXED_BY_OTHERS.get(source.path, ()):
                yield (source.line_of(start + offset),
                       f"'{name}' has {count} parameters, at most {MAX_PARAMETERS}: make a struct")


FILE_RULES = [rule_parameters]
