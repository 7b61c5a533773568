"""Who asks for an attribute asks for one that an operator's table has."""

import re

ATTR_ROW = re.compile(r'\bOP_(FLOAT|INT|STRING|INTS_LIST|NEEDS)(?:_SINCE)?\((?:\d+, )?"(\w+)"(?:, ATTR_(\w+))?')
ATTR_CALL = re.compile(r'\b(attr|node)_(int|float|string|ints)\((?:[^()"]|\([^()]*\))*"(\w+)"')
NEAR = 5  # lines above a call in which a comment counts


def rule_attributes(root, sources):
    """attr_int(n, "name") and its like ask for what some operator's table has with a default, or as required; who asks
    with node_int() and a fallback of his own says why.  Python workers have defaults in their table alone."""
    rows = {"int": set(), "float": set(), "string": set(), "ints": set()}
    for source in sources:
        if source.is_c and source.path.startswith("src/ops/") and source.path != "src/ops/op.h":
            for kind, name, needed in ATTR_ROW.findall(source.text):
                kind = {"INTS_LIST": "ints", "NEEDS": needed.lower()}.get(kind, kind.lower())
                rows.setdefault(kind, set()).add(name)
    for source in sources:
        if source.path.startswith("workers/python/"):
            for found in re.finditer(r'\.attr\("\w+", ["\d-]', source.text):
                yield source.path, source.line_of(found.start()), "a default that belongs into the table of defaults"
        if not source.is_c or not source.path.startswith("src/") or source.path.startswith("src/model/"):
            continue
        lines = source.text.split("\n")
        for found in re.finditer(r"\b(attr|node)_(int|float|string|ints)\(", source.code):
            call = ATTR_CALL.match(source.text, found.start())
            line, (whose, kind) = source.line_of(found.start()), found.groups()
            if whose == "attr" and call and call.group(3) not in rows[kind]:
                yield source.path, line, f"no operator has a default of '{call.group(3)}' for attr_{kind}()"
            elif whose == "node" and kind != "ints" and "/*" not in "".join(lines[max(line - 1 - NEAR, 0):line]):
                yield source.path, line, f"node_{kind}() without a comment that says why not attr_{kind}()"


TREE_RULES = [rule_attributes]
