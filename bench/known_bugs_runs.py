"""What runs of bench/known-bugs found: data/known-bugs-runs.tsv, to which each run adds lines, and docs/known-bugs.md.

A line is one method on one library.  Lines are only ever added, so what was found once stays in the table.
"""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RUNS = os.path.join(ROOT, "data", "known-bugs-runs.tsv")
PAGE = os.path.join(ROOT, "docs", "known-bugs.md")
KEYS = ("date", "library", "version", "method", "minutes", "jobs", "rows", "found", "ids", "elsewhere")
LATER = ("processor", "load")  # of runs since 19 November 2026: minutes of the processor, load when it ended
UNKNOWN = "?"


def run_of(line):
    """A line of the file, or ValueError."""
    fields = line.split("\t")
    if len(fields) == len(KEYS):
        fields += [UNKNOWN] * len(LATER)
    if len(fields) != len(KEYS + LATER) or not all(fields):
        raise ValueError(f"{len(fields)} columns, not {len(KEYS)} or {len(KEYS + LATER)}, or an empty one")
    run = dict(zip(KEYS + LATER, fields))
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"]):
        raise ValueError(f"the date is {run['date']}")
    for key in ("jobs", "rows", "found"):
        if not run[key].isdigit():
            raise ValueError(f"{key} is {run[key]}")
    if not re.fullmatch(r"\d+(\.\d+)?", run["minutes"]):
        raise ValueError(f"minutes are {run['minutes']}")
    for key in LATER:
        if not re.fullmatch(r"\?|\d+(\.\d+)?", run[key]):
            raise ValueError(f"{key} is {run[key]}")
    for key in ("ids", "elsewhere"):
        if not re.fullmatch(r"\?|-|[A-Z]\d+( [A-Z]\d+)*", run[key]):
            raise ValueError(f"{key} are {run[key]}")
    if run["ids"] != UNKNOWN and len(ids_of(run)) != int(run["found"]) or int(run["found"]) > int(run["rows"]):
        raise ValueError(f"{run['found']} of {run['rows']} found: {run['ids']}")
    return run


def ids_of(run, key="ids"):
    return [] if run[key] in ("-", UNKNOWN) else run[key].split()


def read_runs(path=RUNS):
    """All lines of a file, or ValueError with the line's number."""
    runs = []
    with open(path, encoding="utf-8") as f:
        for at, line in enumerate(f, 1):
            if not line.startswith("#"):
                try:
                    runs.append(run_of(line.rstrip("\n")))
                except ValueError as e:
                    raise ValueError(f"{path}:{at}: {e}") from None
    return runs


def add_run(path, **run):
    """Adds a line; one that is not whole is refused before anything is written."""
    words = {"ids": " ".join(sorted(run["ids"])) or "-", "elsewhere": " ".join(sorted(run["elsewhere"])) or "-",
             "found": len(run["ids"]), "minutes": f"{run['minutes']:g}"}
    words |= {key: f"{run[key]:.1f}" if key in run else UNKNOWN for key in LATER}
    line = "\t".join(str(words.get(key, run.get(key))) for key in KEYS + LATER)
    run_of(line)
    with open(path, "a", encoding="utf-8") as f:
        f.write(line + "\n")


# The page

INTRODUCTION = """<!-- bench/known-bugs table writes this page -->
# Known bugs, found again

`data/known-bugs.tsv` has bugs of released libraries.  `bench/known-bugs` runs a method on such a release without any
hint and counts the rows that its findings look like.  Each run adds a line to `data/known-bugs-runs.tsv`, from which
this page is made: a line is never changed or taken away.

- *rows*: how many rows are about the version.  *found*: how many of them the run found.
- *elsewhere*: rows about other versions that a finding looks like.  On a good version it must be none:
  `bench/known-bugs good`.
- *processor*: minutes of the processor that it got, all of its processes together.  *load*: how many processes wanted a
  core when it ended.  On a busy machine a quarter of an hour is much less than that.
- `?`: not written down.  The first runs were made before there was a table.

## By library

*Found in all* counts the distinct rows of all runs whose rows are known, *best run* the most that one run found.

| library | version | rows | hours | best run | found in all | which |
|---|---|---|---|---|---|---|
"""
BY_METHOD = """
## By method

| library | version | method | minutes | rows found |
|---|---|---|---|---|
"""
ALL = """
## All runs

| date | library | version | method | minutes | jobs | rows | found | which | elsewhere | processor | load |
|---|---|---|---|---|---|---|---|---|---|---|---|
"""
GOOD = """
## Good versions

A *good version* is the one that the fewest rows are about, of those that were run of a library: the bugs of the other
rows are fixed there, or not yet made, so no finding may look like one of them.  A library without rows cannot fail.

| date | library | version | rows about it | method | minutes | looks like a row of another version |
|---|---|---|---|---|---|---|
"""


def groups_of(runs, *keys):
    groups = {}
    for run in runs:
        groups.setdefault(tuple(run[key] for key in keys), []).append(run)
    return sorted(groups.items())


def number_of(minutes):
    return f"{sum(float(m) for m in minutes):g}"


def version_number(version):
    return [int(n) for n in re.findall(r"\d+", version)]


def good_runs(runs):
    """Those on each library's version that the fewest rows are about, the newest of them.  The first runs, of which
    nobody wrote down what looks like another row, say nothing."""
    good = []
    for _, own in groups_of([run for run in runs if run["elsewhere"] != UNKNOWN], "library"):
        rows = {version: max(int(run["rows"]) for run in of) for (version,), of in groups_of(own, "version")}
        best = max(rows, key=lambda v: (-rows[v], version_number(v)))
        if not rows[best] or rows[best] < max(rows.values()):
            good += [run for run in own if run["version"] == best]
    return good


def page_of(runs):
    page, asked = INTRODUCTION, [run for run in runs if int(run["rows"])]
    for (library, version), own in groups_of(asked, "library", "version"):
        ids = sorted({name for run in own for name in ids_of(run)})
        hours = float(number_of(run["minutes"] for run in own)) / 60
        page += (f"| {library} | {version} | {max(int(r['rows']) for r in own)} | {hours:.2f} | "
                 f"{max(int(r['found']) for r in own)} | {len(ids) or '-'} | {' '.join(ids) or '-'} |\n")
    page += BY_METHOD
    for (library, version, method), own in groups_of(asked, "library", "version", "method"):
        ids = sorted({name for run in own for name in ids_of(run)})
        unknown = ", ".join(r["found"] for r in own if r["ids"] == UNKNOWN)
        told = "; ".join(words for words in (" ".join(ids), unknown and f"{unknown} (which is not known)") if words)
        page += f"| {library} | {version} | {method} | {number_of(r['minutes'] for r in own)} | {told or 'none'} |\n"
    page += ALL + "".join("| " + " | ".join(run[key] for key in KEYS + LATER) + " |\n" for run in asked)
    good = good_runs(runs)
    if good:
        page += GOOD
    keys = ("date", "library", "version", "rows", "method", "minutes", "elsewhere")
    return page + "".join("| " + " | ".join(run[key] for key in keys) + " |\n" for run in good)


# What a run of all methods would be held against

EAGLE = "A"  # what names of rows about EAGLE's 24 published bugs begin with
TARGETS = ("onnxoptimizer", "onnxslim", "onnxscript", "onnxconvert", "opencv", "tvm")  # they read ONNX themselves


def shares(runs):
    """[(library, version, rows, found, minutes)]: of each library the version that most rows are about, and of that
    the day on which all methods together found most of them.  A day may have several runs: the minutes say so."""
    best = {}
    for (library, version, _), own in groups_of([r for r in runs if int(r["rows"])], "library", "version", "date"):
        found = max(len({name for run in own for name in ids_of(run)}), max(int(run["found"]) for run in own))
        day = (found, max(int(run["rows"]) for run in own), sum(float(run["minutes"]) for run in own))
        if found > best.get((library, version), (-1,))[0]:
            best[library, version] = day
    most = {}
    for (library, version), (_, rows, _) in sorted(best.items()):
        if rows > best.get((library, most.get(library)), (0, 0))[1]:
            most[library] = version
    return [(library, version, best[library, version][1], best[library, version][0], best[library, version][2])
            for library, version in sorted(most.items())]


def print_shares(share, libraries):
    """libraries: all that there are rows of."""
    runs = read_runs()
    table = shares(runs)
    print(f"{'library':14} {'version':14} {'rows':>4} {'found':>5} {'ratio':>6} {'minutes':>7}")
    for library, version, rows, found, minutes in table:
        word = "ok" if found >= share * rows else "MISS"
        print(f"{library:14} {version:14} {rows:4} {found:5} {found / rows:6.0%} {minutes:7.1f}  {word}")
    print("".join(f"{library:14} not run\n" for library in sorted(libraries - {t[0] for t in table})), end="")
    rows, found = sum(t[2] for t in table), sum(t[3] for t in table)
    print(f"all: {found} of {rows} rows, {100 * found / rows:.1f} %")
    rows, found = (sum(t[i] for t in table if t[0] in TARGETS) for i in (2, 3))
    print(f"rewriters and engines: {found} of {rows} rows, {100 * found / rows:.1f} %")
    eagle = sorted({name for run in runs for name in ids_of(run) if name.startswith(EAGLE)})
    print(f"EAGLE's: {len(eagle)} of 24 rows in runs over all functions: {' '.join(eagle)}")


def write_page():
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page_of(read_runs()))
