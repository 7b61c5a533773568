#!/usr/bin/env python3
"""header_example.py HEADER OUT: writes the example in the head comment of a header as a C file."""

import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        lines = f.read().split("\n")
    first, last = lines.index(" * ---- example"), lines.index(" * ---- end of example")
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write("".join(line[3:] + "\n" for line in lines[first + 1:last]))


if __name__ == "__main__":
    main()
