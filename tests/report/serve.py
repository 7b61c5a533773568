#!/usr/bin/env python3
"""`assay serve` in a headless Chromium: serve.py ASSAY REPORT_STORE DEPS

Starts a server on a plain and on a hostile store and hands them to serve_test.js, which adds findings to the plain one.
"""

import os
import subprocess
import sys
import tempfile

import common
import serve_hostile


def main():
    assay, report_store, deps = sys.argv[1:]
    driver, chromium, axe = common.find_browser(deps)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve_test.js")
    servers = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in ("plain", "hostile"):
                store = os.path.join(folder, name + ".db")
                subprocess.run([report_store, store, name], check=True)
                servers.append(serve_hostile.start(assay, store))
            ports = [str(port) for _, port, _ in servers]
            more = [report_store, os.path.join(folder, "plain.db"), "plain"]  # the same findings once more
            code = subprocess.run(["node", script, driver, chromium, axe, *ports, *more]).returncode
            for process, _, _ in servers:
                serve_hostile.finish(process)
        finally:
            for process, _, _ in servers:
                process.kill()
    sys.exit(code)


if __name__ == "__main__":
    main()
