"""Who may include what."""

import os
import re

from source_rules.source import includes

HERE = "scripts/source_rules/layers.py"

# Layer of src/: the layers directly below it.  A file includes from its own layer and from everything further down.
# A layer that is listed and that no file includes from is an offence as well: the table is as tight as the code.
# docs/architecture.md draws them in this order, the lowest at the bottom.
LAYERS = {
    "base": [],
    "tensor": ["base"],
    "model": ["tensor"],
    "ops": ["model"],
    "worker": ["tensor"],
    "calls": ["worker", "ops"],
    "libraries": ["worker"],
    "reference": ["ops"],
    "faults": ["reference"],
    "zoo": ["reference"],
    "judge": ["worker", "reference"],
    "store": ["tensor"],
    "case": ["judge", "zoo"],
    "probe": ["judge"],
    "blame": ["judge"],
    "proof": ["judge", "libraries"],
    "triage": ["blame", "proof", "store"],
    "report": ["blame", "probe", "store"],
    "serve": ["report"],
    "methods": ["triage", "case", "report", "calls"],
    "install": ["judge"],
    "backends": ["calls", "faults"],
    "api": ["reference"],
    "cli": ["methods", "serve", "install", "faults"],
}

# In these layers each folder is a world of its own: it does not include from its neighbours.
SEPARATE_FOLDERS = ("backends", "methods")
SHARED_FOLDERS = ("backends/bind", "backends/onnx")  # …except from these
GENERATED_HEADERS = ("onnx-ml.pb-c.h", "worker.pb-c.h")


def below(layer):
    """The layer and all layers under it."""
    found = {layer}
    for lower in LAYERS[layer]:
        found |= below(lower)
    return found


def rule_layers(source):
    parts = source.path.split("/")
    if not source.is_c or parts[0] != "src" or len(parts) < 3:
        return
    layer = parts[1]
    if layer not in LAYERS:
        yield 1, f"folder 'src/{layer}' is in no layer: give it a row in LAYERS of {HERE}"
        return
    for line, name in includes(source):
        target = name.split("/")
        if target[0] in LAYERS and len(target) > 1 and target[0] not in below(layer):
            yield line, f"'{layer}' must not include from '{target[0]}' (\"{name}\")"
        elif (target[0] == layer and layer in SEPARATE_FOLDERS and len(target) > 2 and target[1:-1] != parts[2:-1]
              and "/".join(target[:-1]) not in SHARED_FOLDERS):
            yield line, f"'src/{'/'.join(parts[1:-1])}' must not include from its neighbour (\"{name}\")"
        if target[-1].startswith("internal") and len(target) > 1 and target[:-1] != parts[1:-1]:
            yield line, f"\"{name}\" is for its own folder only"


FOLDERS_OF = {"tests": ["tests"], "bench": ["bench", "tests"]}  # where they look besides


def rule_resolve(root, sources):
    """Every #include "…" names a file of the tree (or one that the build makes)."""
    paths = {s.path for s in sources}
    for source in sources:
        if not source.is_c:
            continue
        top = source.path.split("/")[0]
        for line, name in includes(source):
            places = [os.path.dirname(source.path), "src", "include", *FOLDERS_OF.get(top, ())]
            if name not in GENERATED_HEADERS and not any(os.path.join(p, name) in paths for p in places):
                yield source.path, line, f"no file for #include \"{name}\""


def rule_tight(root, sources):
    """Each layer that LAYERS puts directly below another is included from there, itself or what only it leads to."""
    used = {}
    for source in sources:
        parts = source.path.split("/")
        if source.is_c and parts[0] == "src" and len(parts) > 2:
            used.setdefault(parts[1], set()).update(name.split("/")[0] for _, name in includes(source))
    for layer, lower in LAYERS.items():
        for name in lower:
            others = set().union(*(below(other) for other in lower if other != name))
            if used.get(layer) and name in used and not used[layer] & (below(name) - others):
                yield HERE, 1, f"LAYERS: '{layer}' includes nothing from '{name}'"


def rule_drawn(root, sources):
    """The layers of docs/architecture.md are those of LAYERS, in the same order."""
    for source in (s for s in sources if s.path == "docs/architecture.md"):
        drawn = re.findall(r"^ (\w+) +src/", source.text, re.MULTILINE)
        if drawn != list(LAYERS)[::-1]:
            yield source.path, 1, f"the layers drawn are not LAYERS of {HERE} from the top down"


FILE_RULES = [rule_layers]
TREE_RULES = [rule_resolve, rule_tight, rule_drawn]
