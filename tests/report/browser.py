#!/usr/bin/env python3
"""The report's page in a headless Chromium: browser.py ASSAY REPORT_STORE DEPS

Makes the pages and hands them to page_test.js.  $REPORT_PICTURES names a folder that screenshots are left in.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import common


def main():
    assay, report_store, deps = sys.argv[1:]
    driver = os.path.join(deps, "node_modules", "playwright-core")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        common.skip("there is no chromium")
    if not shutil.which("node"):
        common.skip("there is no node")
    if not os.path.exists(driver):
        common.skip(f"there is no '{driver}'")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_test.js")
    with tempfile.TemporaryDirectory() as folder:
        common.make_reports(assay, report_store, folder)
        sys.exit(subprocess.run(["node", script, driver, chromium, folder]).returncode)


if __name__ == "__main__":
    main()
