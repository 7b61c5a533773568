"""A function that other files may call says by its first word where it is to be found."""

import os
import re

# Nouns of a module that none of its files is named after.  Each belongs to one module.
NOUNS = {
    "backends/mxnet": "mx",
    "blame": "blaming",
    "cli": "attributes",
    "faults": "shadow",
    "install": "path unpacked wheel",
    "libraries": "library",
    "methods/equiv": "bindings",
    "methods/fuzz": "fuzzer flight",
    "methods/search": "individual variation",
    "methods/swap": "trajectory",
    "model": "node wire writer",
    "ops": "bcast clip elem elements extremum forest make quant same slab steps taps view",
    "proof": "meanings",
    "reference": "ref",
    "tensor": "proto",
    "triage": "case_bytes keeper part words",
    "worker": "process",
}

DECLARATION = re.compile(r"^(?!static\b|typedef\b|[ \t#}])[a-z][\w \t*]*?[ \t*](\w+)\([^;{]*\)[^;{}=]*;",
                         re.MULTILINE)


def module_of(path):
    """src/ops/kit/move.h: ops; src/methods/fuzz/plan.h: methods/fuzz."""
    parts = path.split("/")[1:-1]
    return "/".join(parts[:2] if parts[:1] in (["methods"], ["backends"]) else parts[:1])


def words_of(path):
    """What a file lends its name to: its folders, and itself."""
    folders, name = path.split("/")[1:-1], os.path.splitext(os.path.basename(path))[0]
    return {*folders, *(f.rstrip("s") for f in folders), name, name.rstrip("s")}


def rule_prefix(root, sources):
    """The name of a function in a header begins with a folder, a file or a noun of its module."""
    ours = [s for s in sources if s.is_c and re.match(r"src/(?!backends/\w+/shim)", s.path)]
    words = {}
    for source in ours:
        words.setdefault(module_of(source.path), set()).update(words_of(source.path))
    owners = {}
    for module, nouns in NOUNS.items():
        words.setdefault(module, set()).update(nouns.split())
        for noun in nouns.split():
            if noun in owners:
                yield "scripts/source_rules/prefixes.py", 1, f"'{noun}' is a noun of {owners[noun]} and of {module}"
            owners[noun] = module
    for source in ours:
        if not source.path.endswith(".h"):
            continue
        code = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", lambda d: re.sub(r"[^\n]", " ", d.group()), source.code, flags=re.M)
        for found in DECLARATION.finditer(code):
            name, module = found.group(1), module_of(source.path)
            if not any(name == word or name.startswith(word + "_") for word in words[module]):
                yield (source.path, source.line_of(found.start(1)),
                       f"'{name}' begins with no folder, file or noun of {module} (NOUNS in source_rules/prefixes.py)")


TREE_RULES = [rule_prefix]
