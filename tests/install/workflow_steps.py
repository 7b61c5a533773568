"""The steps of a workflow file of GitHub Actions, as far as examples/ci has them: no YAML package is needed."""
import re


def value_of(text):
    text = text.strip()
    return text[1:-1] if text[:1] == text[-1:] == '"' else text


def steps_of(path):
    """[{"run": …} or {"uses": …}, and "if", "continue-on-error"], in order."""
    with open(path) as f:
        text = f.read()
    steps = []
    for line in text.partition("\n    steps:\n")[2].splitlines():
        start = re.match(r"      - (\S.*)$", line)
        if start:
            steps.append({})
        key = re.match(r"(run|uses|if|continue-on-error): +(.*)$", start.group(1) if start else line[8:])
        if key and (start or line.startswith(" " * 8)):
            steps[-1][key.group(1)] = value_of(key.group(2))
        elif steps and line.strip() and not (start or line.startswith(" " * 8) or line.lstrip().startswith("#")):
            raise ValueError(f"{path}: no step: {line!r}")
    for step in steps:
        if ("run" in step) == ("uses" in step) or step.get("run") in ("|", ">"):
            raise ValueError(f"{path}: a step with neither or both of run and uses, or of several lines: {step}")
    return steps
