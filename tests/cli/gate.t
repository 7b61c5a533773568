# assay gate: red only for what is new.
$ assay zoo get lenet5 -o a.onnx >/dev/null; assay zoo get simplernn -o b.onnx >/dev/null

# ---- numbers that mean nothing
$ assay gate a.onnx -b reference --baseline reference --timeout -1
? 2
! --timeout: '-1' is not a number above 0
$ assay gate a.onnx -b reference --baseline reference --timeout nan
? 2
! --timeout: 'nan' is not a number above 0
$ assay gate a.onnx -b reference --baseline reference --limit=-1
? 2
! --limit: '-1' is not a whole number from 1 on
$ assay gate a.onnx -b reference --baseline reference --rtol -0.5
? 2
! --rtol: '-0.5' is not a number from 0 on

# ---- green, and explained: 5, as for check
$ assay gate a.onnx -b fault:relu6@nowhere+precision=bf16 --baseline reference --no-localize >out
? 5
$ grep '^green' out
green: 0 new, ...

# ---- another backend is the baseline
$ assay gate a.onnx b.onnx -b fault:relu6 --baseline reference
? 1
new      a.onnx on fault:relu6: wrong at Relu, before rounding
...
red: 1 new, 0 fixed, 0 as expected, 0 as before, 1 without a failure
model ...
...
backend       given     ran  judged  unsupported  vacuous  unjudged
fault:relu6       2       2       2            0        0         0
reference         2       2       2            0        0         0

$ assay gate a.onnx b.onnx -b fault:relu6 --baseline fault:relu6 | head -2
still    a.onnx on fault:relu6: wrong at Relu, before wrong
green: 0 new, 0 fixed, 0 as expected, 1 as before, 1 without a failure

$ assay gate a.onnx -b reference --baseline fault:relu6 | head -2
fixed    a.onnx on reference: rounding, before wrong
green: 0 new, 1 fixed, 0 as expected, 0 as before, 0 without a failure

# A failure at another operator is another failure.
$ assay gate a.onnx -b fault:kernel_mirrored@conv2 --baseline fault:relu6 | head -1
new      a.onnx on fault:kernel_mirrored@conv2: wrong at Conv, before wrong

# Two versions of one library are one row.
$ assay gate a.onnx -b ort:O0 --baseline ort --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["red"], r["new"], r["right"], r["rows"][0]["backend"], r["rows"][0]["before"], sorted(r["counts"]))'
False 0 1 ort:O0 rounding ['ort', 'ort:O0']

# ---- a file is the baseline: sorted, the same bytes each time
$ assay gate b.onnx a.onnx -b fault:relu6 --write base.tsv >/dev/null; cat base.tsv
\# model	backend	verdict	operator
a.onnx	fault:relu6	wrong	Relu
b.onnx	fault:relu6	agree	-
$ assay gate a.onnx b.onnx -b fault:relu6 --baseline base.tsv --write again.tsv | head -2; cmp base.tsv again.tsv
still    a.onnx on fault:relu6: wrong at Relu, before wrong
green: 0 new, 0 fixed, 0 as expected, 1 as before, 1 without a failure
$ sed -i 's/wrong	Relu/agree	-/' base.tsv; assay gate a.onnx -b fault:relu6 --baseline base.tsv --junit gate.xml --db j.db
? 1
new      a.onnx on fault:relu6: wrong at Relu, before agree
...
1 row of the baseline not run
red: 1 new, 0 fixed, 0 as expected, 0 as before, 0 without a failure
...
$ python3 -c '
> import xml.etree.ElementTree as tree
> s = tree.parse("gate.xml").getroot()[0]
> print(s.get("name"), s.get("tests"), s.get("failures"), s.find("testcase/failure").get("type"))'
fault:relu6 1 1 wrong

# ---- failures that are expected, the operator that most models use first; reasons stay
$ assay gate a.onnx b.onnx -b fault:relu6 --write-expected known.tsv >/dev/null; cat known.tsv
\# models	operator	verdict	model	backend	reason
1	Relu	wrong	a.onnx	fault:relu6	not looked at yet
$ sed -i 's/not looked at yet/clipped on purpose/' known.tsv
$ assay gate a.onnx b.onnx -b fault:relu6 --expected known.tsv --write-expected again.tsv | head -2; cmp known.tsv again.tsv
expected a.onnx on fault:relu6: wrong at Relu; clipped on purpose
green: 0 new, 0 fixed, 1 as expected, 0 as before, 1 without a failure

# … one that does not fail any more is told, and red when asked
$ printf '0\t*\twrong\tb.onnx\tfault:*\tnot so\n' >>known.tsv
$ assay gate a.onnx b.onnx -b fault:relu6 --expected known.tsv | sed -n 2,3p
fixed    expected 'wrong' of * (b.onnx on fault:*) does not fail any more: take the line out
green: 0 new, 1 fixed, 1 as expected, 0 as before, 1 without a failure
$ assay gate a.onnx b.onnx -b fault:relu6 --expected known.tsv --strict | sed -n 3p
red: 0 new, 1 fixed, 1 as expected, 0 as before, 1 without a failure
$ assay gate a.onnx b.onnx -b fault:relu6 --expected known.tsv --strict >/dev/null
? 1
# … and another operator or verdict is not what was expected
$ sed -i 's/Relu/Conv/' known.tsv; assay gate a.onnx -b fault:relu6 --expected known.tsv >/dev/null
? 1

# ---- one bad file does not keep the others from being run; nothing judged is not green
$ printf 'no model' >bad.onnx; assay gate bad.onnx a.onnx -b reference --baseline reference
? 2
! bad.onnx
green: 0 new, 0 fixed, 0 as expected, 0 as before, 1 without a failure
...
$ python3 - <<'END'
> import os, sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> from make import *
> open("odd.onnx", "wb").write(model([node("n", "Odd", ["x"], ["y"], "com.example")], [value("x", FLOAT, [2])],
>     [value("y", FLOAT, [2])]) + data(8, data(1, "com.example") + number(2, 1)))
> END
$ assay gate odd.onnx -b reference --write odd.tsv --junit odd.xml >/dev/null
? 4
! warning: reference was judged on nothing
$ grep -c '<skipped>not judged: unsupported' odd.xml
1
# … and what was run right and is not run any more is lost
$ printf 'odd.onnx\treference\tagree\t-\n' >odd.tsv; assay gate odd.onnx -b reference --baseline odd.tsv | head -1
new      odd.onnx on reference: unsupported, before agree

# ---- usage
$ assay gate a.onnx
? 2
! assay: gate needs --baseline, --expected or --write
$ assay gate a.onnx --baseline nothing.tsv
? 2
! assay: --baseline: no such file, and as a backend: unknown backend 'nothing.tsv'
$ printf 'one cell\n' >bad.tsv; assay gate a.onnx --baseline bad.tsv
? 2
! assay: 'bad.tsv' line 1: 1 cells, wanted 4 with tabs between
$ assay gate a.onnx -b ort,reference --baseline ort:O0,fault:relu6
? 2
! assay: --baseline has no 'reference' to hold 'reference' against
