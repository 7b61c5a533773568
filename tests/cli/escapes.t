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

