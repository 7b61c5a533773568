#!/usr/bin/env python3
"""The report's page in a headless Chromium: browser.py ASSAY REPORT_STORE DEPS

Makes the pages and hands them to page_test.js.  $REPORT_PICTURES names a folder that screenshots are left in.
"""

import os
import subprocess
import sys
import tempfile

import common


def main():
    assay, report_store, deps = sys.argv[1:]
    driver, chromium, axe = common.find_browser(deps)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_test.js")
    with tempfile.TemporaryDirectory() as folder:
        common.make_reports(assay, report_store, folder)
        sys.exit(subprocess.run(["node", script, driver, chromium, axe, folder]).returncode)


if __name__ == "__main__":
    main()
