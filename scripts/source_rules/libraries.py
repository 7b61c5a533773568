"""What belongs to a library under test, and who may know its name."""

import re

from source_rules.source import blank

BACKENDS = "src/worker/backends.def"
WORKERS = "src/backends/worker.c"  # has a name for each library that is bound in C

# kind of a backend: what must be there for it, by its name and by the worker's ("torch" for "torch-cuda")
BACKEND_FILES = {
    "SPEC_INSIDE": [],
    "SPEC_PROGRAM": [WORKERS + ":{worker}", "src/libraries/{worker}.c", "data/libraries/{name}.lock"],
    "SPEC_PYTHON": ["workers/python/{worker}_worker.py", "src/libraries/{worker}.c", "data/libraries/{name}.lock"],
    "SPEC_NODE": ["workers/node/{worker}_worker.mjs", "src/libraries/{worker}.c", "data/libraries/{name}.lock"],
    "SPEC_REWRITE": ["workers/python/rewrite_{worker}.py", "src/libraries/{worker}.c", "data/libraries/{name}.lock",
                     WORKERS + ":rewrite"],
    "SPEC_OWN": [WORKERS + ":{worker}"],
}
LIBRARY_KINDS = ("SPEC_PROGRAM", "SPEC_PYTHON", "SPEC_NODE", "SPEC_REWRITE")


def backends(sources):
    """(line, name, kind) of each row of backends.def."""
    for source in (s for s in sources if s.path == BACKENDS):
        for found in re.finditer(r'^BACKEND\("([\w-]+)",[^,]*, (SPEC_\w+)', source.text, re.MULTILINE):
            yield source.line_of(found.start()), found.group(1), found.group(2)


def workers(sources):
    """Names in the list of WORKERS, as if each were a file."""
    for source in (s for s in sources if s.path == WORKERS):
        yield from (f"{WORKERS}:{name}" for name in re.findall(r"\bX\((\w+)\)", source.text) if name != "name")


def rule_backends(root, sources):
    """Each row of backends.def has its worker, what is known of it and its lock file; those of each have a row."""
    paths = {s.path for s in sources} | set(workers(sources))
    wanted = {}  # file: (line of the row, name)
    for line, name, kind in backends(sources):
        for pattern in BACKEND_FILES.get(kind, ["kind " + kind]):
            wanted[pattern.format(name=name, worker=name.split("-")[0])] = line, name
    for path, (line, name) in wanted.items():
        if path not in paths:
            yield BACKENDS, line, f"BACKEND(\"{name}\") has no '{path}'"
    for path in sorted(paths if wanted else ()):
        if re.fullmatch(r"data/libraries/[\w-]+\.lock|.*:\w+", path) and path not in wanted:
            yield path, 1, f"has no row in {BACKENDS}"


# Files that may name a library: what is known of it, its worker, and the list of names.
KNOW_LIBRARIES = ("src/libraries/", "src/backends/", BACKENDS)
STRING = re.compile(r'"[^"\n]*"')


def rule_libraries(root, sources):
    """No other file tells libraries apart by name.

    What was compared with "torch" did not hold of "torch-cuda", and a new library had to be put into a dozen tables.
    A descriptor in src/libraries says what makes a library special, and all others ask that.  What an option has
    when it is not given may be a name.
    """
    names = {name.split("-")[0] for _, name, kind in backends(sources) if kind in LIBRARY_KINDS}
    one = re.compile(rf'"({"|".join(sorted(names))})(-\w+)?([@:].*)?"')
    for source in sources if names else ():
        if not re.fullmatch(r"src/.*\.(c|h|def)", source.path) or source.path.startswith(KNOW_LIBRARIES):
            continue
        for found in STRING.finditer(blank(source.text)):
            text = source.text[found.start():found.end()]
            known = one.fullmatch(text)
            if known and not source.text[:found.start()].endswith(".backends = "):
                yield (source.path, source.line_of(found.start()),
                       f"{text}: what is known of a library belongs into src/libraries/{known.group(1)}.c")


TREE_RULES = [rule_backends, rule_libraries]
