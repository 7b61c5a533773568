"""Which method of assay found a finding first, as far as it is written down.

A claim's key `found` says it.  Older claims have none; of some a table of docs/ with the columns `case` and `found by`
does, which names claims one by one, or a section below, which lists nothing but what its method found.  Of every other
finding it is not recorded, and nothing here guesses: that data/quirks.tsv has a row of it says where it was written
down, not who saw it first.
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLES = ["docs/methods/equiv.md"]
HAND, UNKNOWN = "by hand", "not recorded"
METHODS = ["check", "search", "equiv", "swap", "fuzz", "conform", "ops --judge", HAND, UNKNOWN]
SECTIONS = {
    "docs/methods/check.md": {"The same over Keras's array libraries": "check", "The papers' own backends": "check",
                              "Networks with made-up inputs": "check"},
    "docs/methods/search.md": {"What it found": "search"},
    "docs/methods/equiv.md": {"What was measured": "equiv"},
    "docs/methods/fuzz.md": {"What it found": "fuzz", "Found": "fuzz", "Models of TensorFlow": "fuzz"},
    "docs/methods/swap.md": {"Cases": "swap"},
    "docs/campaign.md": {"Rewriters and engines": "fuzz"},
}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def names_in(text, known):
    """`grappler-multiply-twice`, `-divide-twice`: a name that begins with a hyphen has the first one's beginning."""
    found = []
    for name in re.findall(r"`([\w-]+)`", text):
        if name.startswith("-") and found:
            parts = found[0].split("-")
            name = next((n for n in ("-".join(parts[:i]) + name for i in range(len(parts), 0, -1)) if n in known), name)
        found.append(name)
    return found


def method_of(cell):
    if cell.startswith("hand"):
        return HAND
    return "equiv" if re.match(r"`equiv`|rules? \d", cell) else None


def read_table(lines, known):
    """{claim: method} of the rows of tables that have both columns"""
    found, columns = {}, None
    for line in lines:
        if not line.startswith("|"):
            columns = None
        elif columns is None:
            columns = cells(line)
        elif "found by" in columns and "case" in columns:
            row = dict(zip(columns, cells(line)))
            method = method_of(row.get("found by", ""))
            for name in names_in(row.get("case", ""), known) if method else ():
                found[name] = method
    return found


def of_section(documented):
    """The first place that says it counts."""
    for place in documented.split(";"):
        page, _, heading = place.strip().partition(", ")
        method = SECTIONS.get(page, {}).get(heading)
        if method:
            return method
    return UNKNOWN


def method_of_claim(claim, tables):
    said = claim.keys.get("found")
    if said and said not in METHODS:
        raise ValueError(f"{claim.path}: found: '{said}' is none of {', '.join(METHODS)}")
    named = tables.get(claim.name) if any(page in claim.keys["documented"] for page in TABLES) else None
    return said or named or of_section(claim.keys["documented"])


def methods(claims):
    """{(library, name): method} of all claims"""
    known, tables = {claim.name for claim in claims}, {}
    for path in TABLES:
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            tables.update(read_table(f, known))
    return {(c.library, c.name): method_of_claim(c, tables) for c in claims}
