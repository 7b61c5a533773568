#!/usr/bin/env python3
"""JUnit and SARIF files against the schemas themselves: schemas.py ASSAY REPORT_STORE DEPS

Each schema is also shown a file with a fault in it, so that a check that sees nothing does not pass.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import common

JUNIT_SCHEMAS = ("JUnit.xsd", "jenkins-junit.xsd")
WITHOUT_SKIPPED = "JUnit.xsd"  # Ant's has no <skipped>, which all readers of such files know


def is_valid_junit(path, schema):
    return subprocess.run(["xmllint", "--noout", "--schema", schema, path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).returncode == 0


def check_junit(path, schema, folder):
    if os.path.basename(schema) == WITHOUT_SKIPPED:
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"<skipped>[^<]*</skipped>", "", f.read())
        path = os.path.join(folder, "without-skipped.xml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    assert is_valid_junit(path, schema), f"{path} is not valid by {schema}"
    bad = os.path.join(folder, "bad.xml")
    with open(path, encoding="utf-8") as f, open(bad, "w", encoding="utf-8") as g:
        g.write(f.read().replace("</testsuites>", "<surprise/></testsuites>"))
    assert not is_valid_junit(bad, schema), f"{schema} takes anything"


def check_sarif(path, validate, error):
    with open(path, encoding="utf-8") as f:
        log = json.load(f)
    validate(log)
    assert log["version"] == "2.1.0"
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    for result in log["runs"][0]["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result
    log["runs"][0]["results"] = [{"level": "dreadful", "message": {"text": ""}}]
    try:
        validate(log)
    except error:
        return
    raise AssertionError("the SARIF schema takes anything")


def main():
    assay, report_store, deps = sys.argv[1:]
    schemas = [os.path.join(deps, "schemas", name) for name in (*JUNIT_SCHEMAS, "sarif-2.1.0.json")]
    for path in schemas:
        if not os.path.exists(path):
            common.skip(f"there is no '{path}'")
    if not shutil.which("xmllint"):
        common.skip("there is no xmllint")
    sys.path.insert(0, os.path.join(deps, "python"))
    try:
        import fastjsonschema
    except ImportError:
        common.skip("there is no fastjsonschema")
    with open(schemas[-1], encoding="utf-8") as f:
        validate = fastjsonschema.compile(json.load(f))
    with tempfile.TemporaryDirectory() as folder:
        common.make_reports(assay, report_store, folder)
        for name in common.STORES:
            for schema in schemas[:-1]:
                check_junit(os.path.join(folder, name + ".xml"), schema, folder)
            check_sarif(os.path.join(folder, name + ".sarif"), validate, fastjsonschema.JsonSchemaException)
            print(f"{name}: JUnit and SARIF are valid")


if __name__ == "__main__":
    main()
