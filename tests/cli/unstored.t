# What was found is printed whatever becomes of the store; then the exit status is 2.
$ cp "$SRC/tests/fixtures/escapes.onnx" "$SRC/tests/fixtures/escapes.npz" .; assay zoo get lenet5 -o a.onnx >/dev/null; cp a.onnx b.onnx

$ assay check a.onnx b.onnx -b fault:relu6 --db /nonexistent/x.db
? 2
! assay: 2 findings are not stored: cannot open '/nonexistent/x.db'
a.onnx: ... wrong
...
  not recorded: cannot open '/nonexistent/x.db': unable to open database file
...
b.onnx: ... wrong
...
model   backend      verdict  note
a.onnx  fault:relu6  wrong    ...
b.onnx  fault:relu6  wrong    ...
backend       given     ran  judged  unsupported  vacuous  unjudged
fault:relu6       2       2       2            0        0         0

$ assay check a.onnx b.onnx -b fault:relu6 --db /nonexistent/x.db --json | python3 -c '
> import json, sys
> print([m["verdict"] for m in json.load(sys.stdin)])'
['wrong', 'wrong']

# What is no store, and a store that cannot be written.
$ echo text >text.db; assay check a.onnx -b fault:relu6 --db text.db >out
? 2
! assay: 1 finding is not stored: cannot open 'text.db': it is not a store of findings
$ head -1 out; cat text.db
a.onnx: ... wrong
text
$ assay check a.onnx -b fault:relu6 --db locked.db >/dev/null; mkdir locked.db-wal 2>/dev/null || { rm -f locked.db-*; mkdir locked.db-wal; }
$ assay check a.onnx -b fault:relu6 --db locked.db >out
? 2
! assay: 1 finding is not stored: cannot
$ head -1 out
a.onnx: ... wrong

# The other verbs.
$ assay gate a.onnx -b fault:relu6 --baseline reference --db /nonexistent/x.db >out
? 2
! assay: 1 finding is not stored: cannot open '/nonexistent/x.db'
$ head -1 out
new      a.onnx on fault:relu6: wrong at Relu, before rounding
$ assay swap a.onnx -b reference,fault:relu6 --db /nonexistent/x.db >out
? 2
! not stored: cannot open '/nonexistent/x.db'
$ grep -c 'not recorded: cannot open' out
1
$ assay check a.onnx -b fault:relu6 --db some.db >/dev/null; assay reduce 1 --original --db some.db -o /nonexistent/b
? 2
! assay: cannot make folder '/nonexistent/b'
1 on fault:relu6: ... nodes to ...
...
repro: assay replay 1 --db some.db

# ---- names that a zip would not take are kept and come back
$ assay check escapes.onnx -i escapes.npz -b fault:matmul_tail --db names.db >out
? 1
$ grep -c '^  finding 1: ' out
1
$ assay replay 1 --db names.db | tail -1
the finding shows
$ assay findings export 1 --db names.db -o bundle >/dev/null; assay replay bundle | tail -1
the finding shows
$ python3 -c '
> import sqlite3
> open("first.npz", "wb").write(sqlite3.connect("names.db").execute("SELECT data FROM files WHERE name = ?", ["inputs.npz"]).fetchone()[0])'; python3 -c '
> import zipfile
> print([n.encode() for n in zipfile.ZipFile("first.npz").namelist()])'
[b'x\x1b[31m\x01.npy']
