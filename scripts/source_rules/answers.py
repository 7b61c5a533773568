"""An int is a status or the answer to a question, never both.

A function that fails with a status and also returns 1, or the truth of something, has three kinds of results, of which
a caller's `if (rc)` sees two.  It returns an enum with a member …_FAILED, or gives its answer through a pointer: see
CONTRIBUTING.md.
"""

import re

FUNCTION = re.compile(r"^(?:[A-Z_]+ )?(?:static )?(?:inline )?int (\w+)\(([^{};]*)\)\n\{\n(.*?)^\}", re.M | re.S)
RETURN = re.compile(r"\breturn\b\s*([^;]+);")
FAILURE = re.compile(r"rc|ERR_[A-Z]+|(err|call)_(set|nomem|bad|prefix)\(.*|\w+_fail\(.*|.*(->|\.)code", re.S)
# What is no status: 1, the truth of something, a variable; a descriptor and an exit status may stand beside failures.
ANSWER = re.compile(r"1|!.*|.*[^=!<>]==.*|.*!=.*|.*(&&|\|\|).*|(?!fd$|status$)[a-z_]\w*", re.S)


def alternatives(expression):
    """The values that a returned expression may have: of `a ? b : c` those of b and c."""
    depth, question, colon = 0, -1, -1
    for i, letter in enumerate(expression):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if depth == 0 and letter == "?" and question < 0:
            question = i
    if question < 0:
        return [expression.strip()]
    nested = 0
    for i in range(question + 1, len(expression)):
        depth += expression[i] in "([{"
        depth -= expression[i] in ")]}"
        if depth == 0 and expression[i] == "?":
            nested += 1
        elif depth == 0 and expression[i] == ":":
            if not nested:
                colon = i
                break
            nested -= 1
    return alternatives(expression[question + 1:colon]) + alternatives(expression[colon + 1:])


def is_failure(value):
    return bool(FAILURE.fullmatch(value))


def is_answer(value):
    """Judged without what stands in brackets: arguments and indices."""
    rest, before = value, None
    while rest != before:
        before, rest = rest, re.sub(r"\([^()]*\)|\[[^][]*\]", "#", rest)
    return bool(ANSWER.fullmatch(rest)) and not is_failure(value)


def rule_answers(source):
    """A function that fails does not return 1 as well, nor does one return choose between a failure and an answer."""
    if not source.is_c or not source.path.startswith("src/"):
        return
    for function in FUNCTION.finditer(source.code):
        name, parameters, body = function.groups()
        returns = [(found.start(), alternatives(found.group(1))) for found in RETURN.finditer(body)]
        fails = "struct err *" in parameters or any(is_failure(value) for _, values in returns for value in values)
        for start, values in returns:
            mixed = any(map(is_failure, values)) and any(map(is_answer, values))
            if mixed or (fails and "1" in values):
                yield source.line_of(function.start(3) + start), f"{name}() returns a status or an answer: use an enum"


FILE_RULES = [rule_answers]
