#!/usr/bin/env python3
"""Runs scripts that use one package: run_scripts.py PACKAGE SCRIPT...

The package is imported once, which takes longer than a script does; each script then runs in a process of its own.
Prints the exit status of each, in a line, or "no package" where Python does not have it."""
import importlib
import os
import runpy
import sys
import traceback


def run(path):
    """The exit status of a script, as the interpreter would give it."""
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 2  # not what a script says of a wrong answer
    return 0


def main():
    package, *scripts = sys.argv[1:]
    out = os.dup(1)
    os.dup2(2, 1)  # what scripts and packages print
    try:
        importlib.import_module("numpy")
        importlib.import_module(package)
    except ImportError:
        os.write(out, b"no package\n")
        return
    for path in scripts:
        child = os.fork()
        if not child:
            status = run(path)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(out, f"{status}\n".encode())


main()
