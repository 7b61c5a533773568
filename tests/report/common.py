"""What the tests of reports share: the reports themselves, and how a test is skipped."""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77  # as tests/CMakeLists.txt says
STORES = ("plain", "hostile", "empty", "deep", "many")


def skip(reason):
    """Ends the test as skipped; where everything must be there ($ASSAY_REQUIRE_REPORT_TOOLS), as failed."""
    if os.environ.get("ASSAY_REQUIRE_REPORT_TOOLS"):
        print(f"FAILED: {reason}")
        sys.exit(1)
    print(f"skipped: {reason}; 'scripts/setup --ci' gets it")
    sys.exit(SKIPPED)


def find_browser(deps):
    """Playwright's folder, Chromium and axe's script; the test is skipped where one of them is missing."""
    driver = os.path.join(deps, "node_modules", "playwright-core")
    axe = os.path.join(deps, "node_modules", "axe-core", "axe.min.js")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        skip("there is no chromium")
    if not shutil.which("node"):
        skip("there is no node")
    for path in driver, axe:
        if not os.path.exists(path):
            skip(f"there is no '{path}'")
    return driver, chromium, axe


def make_reports(assay, report_store, folder):
    """plain.html, plain.xml, plain.sarif, and the same of the other stores; the matrix of operators is in plain.html,
    and alone in ops.html."""
    matrix = os.path.join(folder, "ops.json")
    with open(matrix, "w", encoding="utf-8") as out:
        judged = subprocess.run([assay, "ops", "-b", "reference,fault:matmul_tail", "--judge", "--json", "--html",
                                 os.path.join(folder, "ops.html"), "matmul", "pool"], stdout=out)
    if judged.returncode != 1:  # the planted fault is found
        raise SystemExit(f"assay ops --judge exited with {judged.returncode}")
    for name in STORES:
        base = os.path.join(folder, name)
        subprocess.run([report_store, base + ".db", name], check=True)
        subprocess.run([assay, "report", "--db", base + ".db", "--html", base + ".html", "--junit", base + ".xml",
                        "--sarif", base + ".sarif", "--title", f"The {name} store",
                        *(["--ops", matrix] if name == "plain" else [])], check=True)
