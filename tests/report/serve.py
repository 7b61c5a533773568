#!/usr/bin/env python3
"""`assay serve` in a headless Chromium: serve.py ASSAY REPORT_STORE DEPS

Starts a server on a plain and on a hostile store and on the folder of a campaign, and hands them to serve_test.js,
which adds findings to the plain one and lets the campaign go on.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import common
import serve_hostile


LINES = [{"method": "fuzz", "backend": "ort", "share": 0.75},
         {"method": "equiv", "backend": "<b>tf</b>", "share": 0.25}]
DONE = {"line": 0, "state": "done", "seconds": 30.0, "added": 3, "clusters": 2, "starts": 1, "seed": 0, "shard": 1,
        "shards": 1000, "counts": {"ort": {"given": 300, "ran": 290, "judged": 280}}}
RUNNING = {"line": 1, "state": "running", "starts": 1, "seed": 0, "shard": 1, "shards": 16}
FAILED = {**RUNNING, "state": "failed", "why": "assay: <script>boom()</script>"}


def write_state(folder, tasks):
    """As the leader of a campaign does: a new file in the place of the old."""
    state = {"version": 1, "leading": True, "time": 28800.0, "seconds": 61.0, "runs": 1, "lines": LINES, "tasks": tasks}
    with open(os.path.join(folder, "next"), "w", encoding="utf-8") as f:
        json.dump(state, f)
    soon = time.time() + 3600  # a leader that was not heard of for a while counts as gone, and this machine may be slow
    os.utime(os.path.join(folder, "next"), (soon, soon))
    os.replace(os.path.join(folder, "next"), os.path.join(folder, "state.json"))


def make_campaign(folder, report_store):
    os.mkdir(folder)
    subprocess.run([report_store, os.path.join(folder, "findings.db"), "plain"], check=True)
    write_state(folder, [DONE, RUNNING])
    return folder


def main():
    if sys.argv[1] == "go-on":  # serve_test.js
        write_state(sys.argv[2], [DONE, FAILED, DONE])
        return
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
            campaign = make_campaign(os.path.join(folder, "night.campaign"), report_store)
            servers.append(serve_hostile.start(assay, campaign))
            ports = [str(port) for _, port, _ in servers]
            ports.append(f"{sys.executable} {os.path.abspath(__file__)} go-on {campaign}")
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
