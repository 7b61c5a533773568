#!/usr/bin/env python3
"""What verbs print with --json, the JSON files that they write and what `assay serve` answers with, against
docs/schema: json_output.py ASSAY REPORT_STORE DEPS

Schemas allow members that they do not name, since a program must not break when there is a new one.  Here they do not:
what a document has and its schema lacks is a fault.  Each schema is also shown a document without its first member, so
that a check that sees nothing does not pass.
"""

import copy
import hashlib
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile

import common
import serve
import serve_hostile

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
    ("conform", "conform --saved conform.json"),
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
    ("findings-export", "findings export 1"),
    ("findings-merge", "findings merge equiv.db fuzz.db --db merged.db"),
    ("report", "report"),
    ("report", "report --db fuzz.db"),
    ("replay", "replay 1"),
    ("replay", "replay 1 --db equiv.db"),
    ("reduce", "reduce 1 --original --time 5s"),
    ("bisect", "bisect 1 --installed --db {as_ort}"),
]

# With lock files of our own, which name a package that is here.
INSTALL = [
    ("backends-install", "backends install tiny tiny@1.0"),
    ("backends-install", "backends install all"),
    ("backends-remove", "backends remove tiny@1.0"),
]

# Files that they left.
WRITTEN = [
    ("manifest", "own/tiny/2.0/manifest.json"),
    ("extract-index", "corpus/index.json"),
    ("bundle", "finding-1/finding.json"),
]

# What the server answers with on the folder of a campaign.
SERVED = [
    ("serve-status", "/api/status"),
    ("serve-campaign", "/api/campaign"),
    ("serve-curves", "/api/curves/1"),
    ("report", "/api/findings"),
    ("finding", "/api/finding/1"),
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
        if schema == "conform" and "--saved" not in text:
            with open(os.path.join(folder, "conform.json"), "wb") as f:
                f.write(done.stdout)
        if schema == "backends-list":
            version = next(x["version"] for x in document["installed"] if x["name"] == "ort")
        yield schema, text, document


def untested(assay):
    """Commands that print JSON and that no row has: verbs, or their subcommands."""
    with open(os.path.join(common.ROOT, "src", "cli", "verbs.def"), encoding="utf-8") as f:
        verbs = re.findall(r'^VERB\(\w+, "([^"]+)"', f.read(), re.M)
    tested = [text for _, text in COMMANDS + INSTALL]
    missing = []
    for verb in verbs:
        said = subprocess.run([assay, "help", verb], stdout=subprocess.PIPE, text=True, check=True).stdout
        section = re.search(r"^subcommands:\n((?:  .*\n)+)", said, re.M)
        words = re.findall(r"^  ([a-z]+) ", section.group(1), re.M) if section else []
        wanted = [f"{verb} {word}" for word in words if word != "list"] + [verb]
        if "--json" in said:
            missing += [w for w in wanted if not any(text.split()[:len(w.split())] == w.split() for text in tested)]
    return missing


def make_locks(folder):
    """A library of two versions, one that cannot be unpacked, and one that 'all' leaves out."""
    libraries = os.path.join(folder, "data", "libraries")
    os.makedirs(libraries)
    with zipfile.ZipFile(os.path.join(folder, "tiny.whl"), "w") as z:
        z.writestr("tiny/libtiny.so", "a library")
    with open(os.path.join(folder, "tiny.whl"), "rb") as f:
        data = f.read()
    row = f"file ../../tiny.whl {len(data)} {hashlib.sha256(data).hexdigest()}\n  take tiny/libtiny.so lib/libtiny.so\n"
    for name, text in (("tiny", f"version 2.0\n{row}\nversion 1.0\n{row}"),
                       ("bad", f"version 1.0\n{row.replace('tiny/libtiny.so', 'tiny/nothing')}"),
                       ("tvm", f"apart it is slow\nversion 1.0\n{row}")):
        with open(os.path.join(libraries, name + ".lock"), "w", encoding="utf-8") as f:
            f.write(text)


def installs(assay, folder):
    """The same of INSTALL.  All kinds of rows come: a library that cannot be installed is one, and status 2."""
    make_locks(folder)
    env = dict(os.environ, ASSAY_DATA=os.path.join(folder, "data"), ASSAY_BACKENDS=os.path.join(folder, "own"),
               ASSAY_CACHE=os.path.join(folder, "cache"), HOME=folder)
    states = set()
    for schema, text in INSTALL:
        done = subprocess.run([assay, *text.split(), "--json"], cwd=folder, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        document = json.loads(done.stdout)
        states |= {x["status"] for x in document.get("backends", [])}
        assert done.returncode == (2 if text.endswith("all") else 0), f"assay {text}: {done.stderr.decode()}"
        yield schema, text, document
    assert states == {"installed", "present", "skipped", "failed"}, states


def written(folder):
    for schema, path in WRITTEN:
        with open(os.path.join(folder, path), encoding="utf-8") as f:
            yield schema, path, json.load(f)


def served(assay, report_store, folder):
    campaign = serve.make_campaign(os.path.join(folder, "night.campaign"), report_store)
    process, port, _ = serve_hostile.start(assay, campaign)
    try:
        for schema, path in SERVED:
            answer = serve_hostile.get(port, path)
            yield schema, "serve " + path, json.loads(answer.split(b"\r\n\r\n", 1)[1])
    finally:
        serve_hostile.finish(process)


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
    assay, report_store, deps = (os.path.abspath(x) for x in sys.argv[1:])
    sys.path.insert(0, os.path.join(deps, "python"))
    try:
        import fastjsonschema
    except ImportError:
        common.skip("there is no fastjsonschema")
    validate = {}
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
            validate[name[:-len(".json")]] = fastjsonschema.compile(strict(json.load(f)))
    unused = set(validate) - {schema for schema, _ in COMMANDS + INSTALL + WRITTEN + SERVED}
    assert not unused, f"no command is validated against {sorted(unused)}"
    missing = untested(assay)
    assert not missing, f"the JSON of these is not validated: {missing}"
    failures = documents = 0
    with tempfile.TemporaryDirectory() as folder:
        every = (outputs(assay, deps, folder), installs(assay, folder), written(folder),
                 served(assay, report_store, folder))
        for schema, text, document in itertools.chain(*every):
            documents += 1
            try:
                validate[schema](document)
            except fastjsonschema.JsonSchemaException as e:
                failures += 1
                print(f"{text} is not as docs/schema/{schema}.json has it: {e.message[:300]}")
            try:
                validate[schema](without_first(document))
                raise AssertionError(f"{schema}.json takes anything")
            except fastjsonschema.JsonSchemaException:
                pass
    print(f"{documents} documents, {len(validate)} schemas, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
