"""Kernels of operators speak one dialect."""

import re

SLOTS = "infer|eval|grad|scale|delta"


def rule_kernel(source):
    """What an operator's descriptor names for a slot ends with the slot's name, and a return code is called rc."""
    if not source.is_c or not source.path.startswith("src/ops/"):
        return
    for found in re.finditer(rf"\.({SLOTS}) = (\w+)\b(?!##)", source.code):
        slot, name = found.groups()
        backwards = re.match(rf"({SLOTS})_", name)
        if backwards:
            yield source.line_of(found.start()), f"'{name}' puts the verb first: '{name[backwards.end():]}_{slot}'"
    for found in re.finditer(r"\bint [^;(){}]*\bstatus\b", source.code):
        yield source.line_of(found.start()), "a return code is called 'rc'"


FILE_RULES = [rule_kernel]
