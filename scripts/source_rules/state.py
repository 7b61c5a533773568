"""Objects that outlive a call: libassay is used by many threads, and each of its objects by one at a time."""

import re

from source_rules.source import without_directives

# Objects that can be written and are neither atomic, a lock nor of one thread: file, name, why that is safe
STATE = {
    ("src/base/mem.c", "fault"): "all members are atomic",
    ("src/base/mapped.c", "places"): "a place belongs to who took it; what others read is atomic",
    ("src/base/mapped.c", "before"): "written once, by main()",
    ("src/base/plain.c", "marks"): "written by a pthread_once()",
    ("src/base/parallel.c", "pool"): "behind its own locks",
    ("src/ops/engine/engine.c", "engine"): "written by a pthread_once()",
    ("src/ops/ops.c", "slots"): "written by a pthread_once()",
    ("src/ops/engine/panel.c", "test"): "written by a pthread_once()",
    ("src/tensor/proto_check.c", "a"): "never written: protobuf-c does not take a constant",
    ("src/report/layout.c", "context"): "under a lock",
    ("src/worker/parent/parked.c", "park"): "under a lock",
    ("src/backends/bind/helpers.c", "of"): "of a worker program, which has one thread",
    ("src/backends/bind/helpers.c", "names"): "of a worker program, which has one thread",
}

SAFE = re.compile(r"(_Atomic|_Thread_local|atomic_\w+|pthread_(once|mutex)_t)\b")

NAMES = r"(\w+)\s*((?:\[[^;={]*?\])*)\s*[;={,]"
# Of a file or a function; of the program; of a file, with the struct where it stands.
FORMS = [
    re.compile(r"^[ \t]*static\s+(?!inline\b)((?:[\w ]|\*)+?[ *])" + NAMES, re.MULTILINE),
    re.compile(r"^(?!static|extern|typedef|return|goto|else)([a-z_]\w*(?:[ *]+\w+)*?[ *]+)" + NAMES, re.MULTILINE),
    re.compile(r"^(?:static )?([\w ]*\b(?:struct|union|enum)\b[\w ]*)\{\n(?:[^}\n][^\n]*\n|\n)*\}\s*" + NAMES,
               re.MULTILINE),
]


def is_constant(kind):
    """Of `const char *` only what it points to is; of `const char *const` the object, too."""
    return kind.rstrip().endswith("const") if "*" in kind else re.search(r"\bconst\b", kind)


def objects(source):
    """(offset, name) of each object that can be written and that nothing guards by its type."""
    code = without_directives(source.code)
    for form in FORMS:
        for found in form.finditer(code):
            kind = found.group(1).strip()
            if code[found.end() - 1] == "{" and "=" not in found.group() and form is not FORMS[0]:
                continue  # the struct itself
            declares = form is not FORMS[2] and kind in ("struct", "union", "enum")
            if not declares and not is_constant(kind) and not SAFE.match(kind):
                yield found.start(), found.group(2)


def rule_state(source):
    """A variable that outlives a call is state that no caller sees, and that threads fight about."""
    if source.is_c and source.path.endswith(".c") and re.match(r"src/(?!cli/)", source.path):
        for offset, name in objects(source):
            if (source.path, name) not in STATE:
                yield source.line_of(offset), f"'{name}' outlives a call and is neither constant, atomic, " \
                                              "a lock nor of one thread"


def rule_state_list(_, sources):
    """No reason is left for an object that is gone."""
    for source in sources:
        listed = {name for path, name in STATE if path == source.path}
        for name in sorted(listed - {name for _, name in objects(source)} if listed else ()):
            yield source.path, 1, f"'{name}' is in STATE of scripts/source_rules/state.py and not in the file"


FILE_RULES = [rule_state]
TREE_RULES = [rule_state_list]
