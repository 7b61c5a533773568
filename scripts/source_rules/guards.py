"""Include guards."""

import re

GUARD = re.compile(r"^#ifndef (\w+)\n#define \1\n", re.MULTILINE)


def rule_guard(source):
    """A guard is the path of its header, below src/ or include/ where it lies there.  Templates have none."""
    found = GUARD.search(source.code) if source.path.endswith(".h") else None
    want = re.sub(r"\W", "_", re.sub(r"^(src|include)/", "", source.path)).upper()
    if found and found.group(1) != want:
        yield source.line_of(found.start()), f"the guard is '{found.group(1)}', by its path '{want}'"


FILE_RULES = [rule_guard]
