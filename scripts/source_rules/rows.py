"""Families of which each member is a row of a list and a definition."""

import re

from source_rules.source import blank

# Families of "one row and one file": list of rows, macro of a row, how the definition behind a row begins (the row's
# id follows), where definitions live.  A family that has no list yet is passed over.
FAMILIES = [
    ("src/ops/ops.def", "OP", "const struct op op_", "src/ops"),
    ("src/cli/verbs.def", "VERB", "int cmd_", "src/cli"),
    ("src/faults/faults.def", "FAULT", "const struct fault fault_", "src/faults"),
    ("src/zoo/zoo.def", "NETWORK", "const struct zoo_network zoo_", "src/zoo"),
    ("src/libraries/libraries.def", "LIBRARY", "const struct library library_", "src/libraries"),
    ("src/install/steps.def", "STEP", "static int step_", "src/install"),
    ("src/methods/equiv/rules.def", "RULE", "const struct equiv_rule rule_", "src/methods/equiv"),
    ("src/methods/search/edits.def", "EDIT", "const struct edit edit_", "src/methods/search"),
    ("src/methods/fuzz/samplers.def", "SAMPLER", "const struct sampler sampler_", "src/methods/fuzz"),
    ("src/methods/fuzz/around.def", "AROUND", "const struct around around_", "src/methods/fuzz"),
    ("src/methods/fuzz/mutations.def", "MUTATION", "const struct mutation mutation_", "src/methods/fuzz"),
    ("src/triage/passes.def", "PASS", "const struct pass pass_", "src/triage"),
    ("src/blame/blamers.def", "BLAMER", "const struct blamer blamer_", "src/blame"),
    ("src/judge/oracles.def", "ORACLE", "const struct oracle oracle_", "src/judge"),
]


def rows_of(source, macro):
    """(line, id) of each row in a .def file."""
    text = blank(source.text)
    for found in re.finditer(rf"^[ \t]*{macro}\(\s*(\w+)", text, re.MULTILINE):
        yield source.line_of(found.start()), found.group(1)


def call_arguments(code, start):
    """The arguments of the macro call whose parenthesis opens at `start`, split at commas of the first level."""
    depth, begin, arguments = 0, start + 1, []
    for i in range(start, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                arguments.append(code[begin:i].strip())
                return arguments
        elif code[i] == "," and depth == 1:
            arguments.append(code[begin:i].strip())
            begin = i + 1
    return arguments


def definitions(source, begin):
    """(line, id) of each `<begin><id> =` or `<begin><id>(…) {` in a file, written out or made by a macro."""
    macros = {}  # name: (parameters, body)
    plain = source.code
    define = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
    for found in define.finditer(source.code):
        macros[found.group(1)] = ([p.strip() for p in found.group(2).split(",")], found.group(3))
        plain = plain.replace(found.group(), re.sub(r"[^\n]", " ", found.group()), 1)
    makers = {}  # macro: (index of the parameter that is the id, what is pasted after it)
    changed = True
    while changed:
        changed = False
        for name, (parameters, body) in macros.items():
            ids = re.findall(rf"(?<!extern ){begin}##(\w+)(?:##(\w+))?", body)
            for maker, (index, suffix) in makers.items():
                for call in re.finditer(rf"\b{maker}\(", body):
                    ids += [(a, suffix) for a in call_arguments(body, call.end() - 1)[index:index + 1]]
            ids = [(parameters.index(i), suffix) for i, suffix in ids if i in parameters]
            if ids and name not in makers:
                makers[name] = ids[0]
                changed = True
                break  # the dictionary has changed
    for found in re.finditer(rf"^{begin}(\w+)(\s*=|\([^;{{]*\{{)", plain, re.MULTILINE):
        yield source.line_of(found.start()), found.group(1)
    for maker, (index, suffix) in makers.items():
        for call in re.finditer(rf"^{maker}\(", plain, re.MULTILINE):
            for name in call_arguments(plain, call.end() - 1)[index:index + 1]:
                yield source.line_of(call.start()), name + suffix


def rule_rows(root, sources):
    """Each row has one definition, each definition one row."""
    for path, macro, begin, folder in FAMILIES:
        lists = [s for s in sources if s.path == path]
        if not lists:
            continue
        rows, made = {}, {}
        for line, name in rows_of(lists[0], macro):
            if name in rows:
                yield path, line, f"{macro}({name}) is there twice (line {rows[name]})"
            rows[name] = line
        for source in sources:
            if not source.path.startswith(folder + "/") or not source.path.endswith(".c"):
                continue
            for line, name in definitions(source, begin):
                if name in made:
                    yield source.path, line, f"'{begin}{name}' is defined in '{made[name]}' too"
                elif name not in rows:
                    yield source.path, line, f"'{begin}{name}' has no row in {path}"
                made[name] = source.path
        for name, line in rows.items():
            if name not in made:
                yield path, line, f"{macro}({name}) has no '{begin}{name}' in {folder}"


TREE_RULES = [rule_rows]
