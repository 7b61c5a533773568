# A terminal is output, too: what names and messages have in them is shown, and never obeyed.
$ cp "$SRC/tests/fixtures/escapes.onnx" "$SRC/tests/fixtures/escapes.npz" .
$ cat >clean <<'X'
> #!/usr/bin/env python3
> """Runs a command, counts what a terminal would obey in all that it prints, and says when nothing was escaped."""
> import subprocess, sys, unicodedata
> text = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
> obeyed = [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\t"]
> print(len(obeyed), *([] if "\\u001b" in text or "\ufffd" in text else ["and nothing was escaped: " + text]))
> X
$ chmod +x clean
$ ./clean assay run escapes.onnx -i escapes.npz; ./clean assay run escapes.onnx -i escapes.npz --mode noisy
0
0
$ assay run escapes.onnx -i escapes.npz | head -1
input x\u001b[31m\u0001: float32[2,3] ...

$ ./clean assay check escapes.onnx -i escapes.npz -b fault:matmul_tail; ./clean assay check escapes.onnx -i escapes.npz -b fault:matmul_tail --map --no-store
0
0
$ ./clean assay swap escapes.onnx -i escapes.npz -b reference,fault:matmul_tail --no-store; ./clean assay replay 1 --original
0
0

# JSON has the name itself.
$ assay run escapes.onnx -i escapes.npz --json | python3 -c '
> import json, sys
> print([o["name"].encode() for o in json.load(sys.stdin)["outputs"]])'
[b'y\x1b]0;t\x07']

# ---- names with line ends stay on their line
$ python3 - <<'X'
> import os, sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> from make import FLOAT, X, model, node, npy, npz, tensor, value
> x, w, p, b, q, y = [n + "\n  FORGED " + n + "\r\t." for n in "xwpbqy"]
> rows = [value(n, FLOAT, ["N\nFORGED", k]) for n, k in ((x, 3), (y, 2))]
> nodes = [("MatMul", [x, w], p), ("Add", [p, b], q), ("Relu", [q], y)]
> weights = [tensor(w, FLOAT, [3, 2], [1, -1, 0.5, 2, -0.25, 0.125]), tensor(b, FLOAT, [2], [0.5, -0.5])]
> open("lines.onnx", "wb").write(model([node("twin\nFORGED", op, i, [o]) for op, i, o in nodes], rows[:1], rows[1:], weights))
> npz("lines.npz", {x: npy(*X)})
> X
$ cat >lines <<'X'
> #!/usr/bin/env python3
> """Runs a command and prints what begins a line that a name made, and whether names were shown at all."""
> import re, subprocess, sys
> text = subprocess.run(sys.argv[1:], capture_output=True).stdout.decode()
> forged = re.findall(r"^\s*FORGED.*|.*\r.*", text, re.M)
> print(len(forged), *forged[:1], *([] if "u000a" in text or "\ufffd" in text else ["and no name was shown: " + text]))
> X
$ chmod +x lines; ./lines assay run lines.onnx -i lines.npz --all; ./lines assay run lines.onnx --random; ./lines assay lint lines.onnx
0
0
0
$ ./lines assay check lines.onnx -i lines.npz -b fault:matmul_tail --map --db lines.db; ./lines assay check lines.onnx -i lines.npz -b fault:matmul_tail --precision f16 --target 1e-9 --no-store
0
0
$ ./lines assay findings show 1 --db lines.db; ./lines assay replay 1 --original --db lines.db; ./lines assay reduce 1 --original --db lines.db
0
0
0
$ ./lines assay swap lines.onnx -i lines.npz -b reference,fault:matmul_tail --train 2 --no-store; ./lines assay search lines.onnx -b reference,fault:matmul_tail --cases 4 --no-store
0
0
$ ./lines assay gate lines.onnx -i lines.npz -b fault:matmul_tail --baseline reference; assay run lines.onnx -i lines.npz | head -1
0
input x\u000a  FORGED x\u000d\u0009.: float32[2,3] ...

# What a store says is no other: its list, one finding, and the summary.
$ python3 -c '
> import sqlite3
> db = sqlite3.connect("lines.db")
> db.execute("UPDATE findings SET op = ?, node = ?, parameter = ?", ["Op\n  FORGED"] * 3)
> db.commit()'
$ ./lines assay findings show 1 --db lines.db; assay findings --db lines.db >out; assay report --db lines.db >>out; grep -c FORGED out; grep -c '^ *FORGED' out
? 1
0
2
0

# ---- errors and the log
$ ./clean assay run escapes.onnx; ./clean assay run escapes.onnx -i "$SRC/tests/fixtures/other.npz"; ./clean assay run "$(printf 'no\033[31m.onnx')"; ./clean assay "$(printf '\033[31m')"
0
0
0
0
$ ./clean assay check escapes.onnx -i escapes.npz -b "$(printf 'ort\033[31m')"
0
$ assay run "$(printf 'a\nassay: all is right')"
? 2
! assay: cannot open 'a
!   assay: all is right'

# ---- what a worker says
$ cat >rude.py <<'X'
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Rejected, serve
> class Rude:
>     library = "rude\x1b[31m"
>     def open(self, folder, options): return "1\x1b[5m"
>     def load(self, model, options, outputs): raise Rejected("no \x1b[2J\x9b and no \u202e")
> serve(Rude())
> X
$ ./clean assay check escapes.onnx -i escapes.npz -b "exec:python3 rude.py" --no-store; ./clean assay run escapes.onnx -i escapes.npz -b "exec:python3 rude.py"
0
0
$ mkdir -p conform/test_escapes/test_data_set_0; cp escapes.onnx conform/test_escapes/model.onnx
$ cp "$SRC"/tests/fixtures/conform/other/test_wrong_value/test_data_set_0/*.pb conform/test_escapes/test_data_set_0
$ ./clean assay conform conform; ./clean assay conform conform -b "exec:python3 rude.py"
0
0

# ---- a bundle's README.md, and the title of its script
$ python3 -c '
> import sqlite3
> db = sqlite3.connect("assay.db")
> db.execute("DELETE FROM parts WHERE role LIKE ?", ["reduced%"])
> db.commit()'
$ assay findings export 1 -o bundle >/dev/null; ./clean cat bundle/README.md; grep -c 'input  x.u001b.31m' bundle/README.md; grep -c 'const  b.u000a.u001b' bundle/README.md
0
1
1
$ python3 -c '
> import sqlite3
> db = sqlite3.connect("assay.db")
> db.execute("UPDATE findings SET backend = ?, op = ?", ["ort", "x\"\"\"\nprint(\"run\")\n\"\"\"\\"])
> db.commit()'
$ assay findings export 1 -o other >/dev/null; sed -n 2,3p other/repro.py
"""assay ...: wrong of x'''?print('run')?'''/

