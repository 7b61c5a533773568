#!/usr/bin/env python3
"""What verbs print with --json against docs/schema: json_output.py ASSAY REPORT_STORE DEPS

Schemas allow members that they do not name, since a program must not break when there is a new one.  Here they do not:
what a document has and its schema lacks is a fault.  Each schema is also shown a document without its first member, so
that a check that sees nothing does not pass.
"""

import copy
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import common

FOLDER = os.path.join(common.ROOT, "docs", "schema")
FIXTURES = os.path.join(common.ROOT, "tests", "fixtures")

# What is run, in this order, in one folder: the schema's name and the command.
COMMANDS = [
    ("zoo-get", "zoo get mlp"),
    ("zoo-list", "zoo list"),
    ("zoo-fill", "zoo fill {deps}/onnx-tests/light/light_squeezenet.onnx -o filled.onnx"),
    ("zoo-train", "zoo train mlp --epochs 1 --data {deps}/digits/mnist_5k.csv.gz"),
    ("zoo-data", "zoo data iris_mlp -o iris"),
    ("zoo-data", "zoo data diabetes_mlp -o diabetes"),
    ("run", "run mlp.onnx"),
    ("run", "run mlp.onnx --mode noisy --all"),
    ("run", "run {fixtures}/linear.onnx --input {fixtures}/x.npy"),
    ("ops", "ops Conv"),
    ("ops", "ops"),
    ("ops-attributes", "ops --attributes"),
    ("ops-support", "ops Relu Conv -b ort"),
    ("ops-judge", "ops Relu -b ort --judge"),
    ("faults", "faults"),
    ("explain", "explain"),
    ("explain", "explain verdicts"),
    ("lint", "lint mlp.onnx {fixtures}/linear.onnx"),
    ("backends-list", "backends list"),
    ("backends-doctor", "backends doctor ort"),
    ("worker-test", "worker-test ort"),
    ("conform", "conform {fixtures}/conform"),
    ("conform", "conform {fixtures}/conform -b reference,ort"),
    ("check", "check lenet5 -b reference,ort --no-store"),
    ("check", "check lenet5 mlp -b reference,fault:relu6,fault:kernel_mirrored"),
    ("check", "check lenet5 -b ort,fault:kernel_mirrored --no-judge --no-store"),
    ("check", "check lenet5 -b reference,fault:relu6 --no-store --localize-time 0.000001s"),
    ("check", "check lenet5 -b reference,ort --oracle meta --no-store"),
    ("check", "check {fixtures}/linear.onnx -b reference,ort -i {fixtures}/x.npy --expect y.npz --no-store"),
    ("check", "check iris_mlp -b reference,ort --data iris/inputs.npy --labels iris/labels.npy --limit 3 --no-store"),
    ("check-precision", "check lenet5 --precision f16"),
    ("gate", "gate lenet5 mlp -b ort,fault:relu6 --baseline reference --db gate.db"),
    ("swap", "swap mlp -b reference,ort,fault:relu6 -g --train 2"),
    ("swap", "swap lenet5 -b reference,fault:kernel_mirrored --db swap.db"),
    ("swap", "swap mlp -b reference,fault:adam_uncorrected --train 1 --optimizer adam --own-optimizer --no-store"),
    ("fuzz", "fuzz -b reference --models 5 --no-store"),
    ("fuzz", "fuzz -b reference --models 5 --special --no-store"),
    ("fuzz", "fuzz -b ort,fault:relu6 --models 40 --fusions --db fuzz.db"),
    ("search", "search mlp -b reference,fault:relu6 --cases 10 --db search.db"),
    ("search", "search lenet5 -b reference,fault:kernel_mirrored --cases 4 --db search.db"),
    ("equiv", "equiv -b ort --api Relu --inputs 2 --plant --db equiv.db"),
    ("extract", "extract mlp.onnx -o corpus"),
    ("campaign", "campaign {campaign}"),
    ("findings-list", "findings"),
    ("findings-list", "findings --all --db equiv.db"),
    ("finding", "findings show 1"),
    ("finding", "findings show 1 --db equiv.db"),
    ("finding", "findings show 1 --db fuzz.db"),
    ("report", "report"),
    ("report", "report --db fuzz.db"),
    ("replay", "replay 1"),
    ("replay", "replay 1 --db equiv.db"),
    ("reduce", "reduce 1 --original --time 5s"),
    ("bisect", "bisect 1 --installed --db {as_ort}"),
]


def make_as_ort(store, version, copy_of_it):
    """A store whose findings are ONNX Runtime's, and that every version of it shows: there is one to bisect."""
    shutil.copy(store, copy_of_it)
    db = sqlite3.connect(copy_of_it)
    db.execute("UPDATE findings SET backend = 'ort', version = ?, verdict = 'agree'", [version])
    db.commit()
    db.close()


def outputs(assay, deps, folder):
    """(schema, command, what it printed) of each command; the exit status says what was found, 2 and 3 are faults."""
    env = dict(os.environ, ASSAY_DEPS=deps, HOME=folder, TMPDIR=folder)
    env.pop("ASSAY_DB", None)
    words = {"deps": deps, "fixtures": FIXTURES, "as_ort": os.path.join(folder, "as_ort.db"),
             "campaign": os.path.join(folder, "short.yaml")}
    with open(words["campaign"], "w", encoding="utf-8") as f:
        f.write("time: 60s\nbackends: ['fault:relu6']\nmethods:\n  - method: check\n    models: [lenet5]\n")
    subprocess.run([assay, "run", FIXTURES + "/linear.onnx", "--input", FIXTURES + "/x.npy", "-o", "y.npz"], cwd=folder,
                   env=env, check=True, stdout=subprocess.DEVNULL)
    version = ""
    for schema, text in COMMANDS:
        if "{as_ort}" in text:
            make_as_ort(os.path.join(folder, "assay.db"), version, words["as_ort"])
        done = subprocess.run([assay, *text.format(**words).split(), "--json"], cwd=folder, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode not in (2, 3), f"assay {text}: status {done.returncode}: {done.stderr.decode()}"
        document = json.loads(done.stdout)
        if schema == "backends-list":
            version = next(x["version"] for x in document["installed"] if x["name"] == "ort")
        yield schema, text, document


def strict(schema):
    """The schema, with no members allowed but those that it names."""
    if isinstance(schema, list):
        return [strict(x) for x in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        made["additionalProperties"] = False
    return made


def without_first(document):
    """The same without "schema"."""
    bad = copy.deepcopy(document)
    (bad[0] if isinstance(bad, list) else bad).pop("schema")
    return bad


def main():
    assay, _, deps = (os.path.abspath(x) for x in sys.argv[1:])
    sys.path.insert(0, os.path.join(deps, "python"))
    try:
        import fastjsonschema
    except ImportError:
        common.skip("there is no fastjsonschema")
    validate = {}
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
            validate[name[:-len(".json")]] = fastjsonschema.compile(strict(json.load(f)))
    unused = set(validate) - {schema for schema, _ in COMMANDS}
    assert not unused, f"no command is validated against {sorted(unused)}"
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for schema, text, document in outputs(assay, deps, folder):
            try:
                validate[schema](document)
            except fastjsonschema.JsonSchemaException as e:
                failures += 1
                print(f"assay {text} --json is not as docs/schema/{schema}.json has it: {e.message[:300]}")
            try:
                validate[schema](without_first(document))
                raise AssertionError(f"{schema}.json takes anything")
            except fastjsonschema.JsonSchemaException:
                pass
    print(f"{len(COMMANDS)} documents, {len(validate)} schemas, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
