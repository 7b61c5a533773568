#!/usr/bin/env python3
"""Runs the examples of README.md and docs/methods and compares: doc_examples.py ASSAY ROOT [--figures] [--only TEXT]

An example is a block of a page whose first line is "$ assay …".  Its commands run one after the other in an empty
folder; what they print must be what the page shows, where a line "…" stands for any number of lines and "…" at the
end of a line for its rest.  Numbers are compared with --figures alone, but for times: they differ from one processor
to the other, as ONNX Runtime's do.  What `findings show` prints is not compared: findings are numbered as
they are looked into, for which a slow machine has less time.  Exit status 1 when a page is not up to date, 77 when
ONNX Runtime is not installed (2 with ASSAY_REQUIRE_BACKENDS).
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
TIMES = re.compile(rf"{NUMBER} \+ {NUMBER} s|{NUMBER} s\b|{NUMBER} pairs a second|{NUMBER} % of the time|"
                   rf"{NUMBER} not looked into")

RATE = re.compile(r"^( *(?:network|input|weight|both) .*?) +[\d.]+$")  # the last column of `search`: cases/s


def blocks(path):
    """Texts of the page's examples."""
    with open(path, encoding="utf-8") as f:
        found = re.findall(r"^```\w*\n(\$ assay .*?)^```$", f.read(), re.MULTILINE | re.DOTALL)
    return found


def steps(block):
    """(command, lines that the page shows for it)"""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        yield command, lines


def plain(line, figures):
    """Without what may differ; columns are as wide as their numbers."""
    line = RATE.sub(r"\1 T", TIMES.sub("T", line))
    if not figures:
        line = re.sub(NUMBER, "N", line)
        line = re.sub(r"(triage took T), T$", r"\1", line)  # how many were not looked into
    return re.sub(r"\s+", " ", line).strip()


def is_shown(shown, printed):
    """Whether the page's lines can be what was printed; the rest of them that cannot."""
    if not shown:
        return not printed, shown
    if shown[0] == "…":
        for skip in range(len(printed) + 1):
            if is_shown(shown[1:], printed[skip:])[0]:
                return True, []
        return False, shown
    if printed and (shown[0] == printed[0] or
                    (shown[0].endswith("…") and printed[0].startswith(shown[0][:-1].rstrip()))):
        return is_shown(shown[1:], printed[1:])
    return False, shown


def run(assay, command, folder):
    words = re.sub(r"^assay\b", assay, command)
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "ASSAY_DB")}
    done = subprocess.run(["sh", "-c", words], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace")
    return done.stdout.splitlines()


def check(assay, name, block, figures):
    """How many commands of the block print something else."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, lines in steps(block):
            printed = run(assay, command, folder)
            if command.startswith("assay findings show"):
                continue
            fits, rest = is_shown([plain(line, figures) for line in lines], [plain(line, figures) for line in printed])
            if fits:
                continue
            wrong += 1
            print(f"{name}: $ {command}\n  no longer prints: {rest[0] if rest else 'nothing more'}\n  but:")
            print("".join(f"    {line}\n" for line in printed[:40]))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("root")
    parser.add_argument("--figures", action="store_true", help="compare numbers as well")
    parser.add_argument("--only", default="", metavar="TEXT", help="pages with TEXT in their path")
    args = parser.parse_args()
    assay = os.path.abspath(args.assay)
    if subprocess.run([assay, "check", "lenet5", "-b", "ort", "--no-store"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        print("doc_examples: ONNX Runtime does not run; 'assay backends install ort' gets it")
        return 2 if os.environ.get("ASSAY_REQUIRE_BACKENDS") else 77
    pages = [os.path.join(args.root, "README.md"), *sorted(glob.glob(os.path.join(args.root, "docs/methods/*.md")))]
    wrong = found = 0
    for page in pages:
        name = os.path.relpath(page, args.root)
        for block in blocks(page) if args.only in name else []:
            found += 1
            wrong += check(assay, name, block, args.figures)
    print(f"{found} examples, {wrong} commands print something else")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
