# What a lower precision or one quantization step makes is told apart from what is wrong.
$ assay zoo get lenet5 -o lenet5.onnx >/dev/null

# A library that computes in bfloat16: no finding, and not green either.
$ assay check lenet5.onnx -b fault:relu6@nowhere+precision=bf16 --no-store | grep -o 'explained by bfloat16\|explained: 1 of the cases'
explained by bfloat16
explained: 1 of the cases
$ assay check lenet5.onnx -b fault:relu6@nowhere+precision=bf16 --no-store >/dev/null
? 5
$ assay check lenet5.onnx -b fault:relu6@nowhere+precision=f16 --no-store --json | python3 -c '
> import json, sys
> b = json.load(sys.stdin)["backend_verdicts"][0]
> print(b["verdict"], b["explained_by"], b["findings"], b["counts"]["judged"], b["counts"]["explained"])'
explained float16 0 1 1

# Who asks for float32 is told that it is none.
$ assay check lenet5.onnx -b fault:relu6@nowhere+precision=bf16 --no-store --no-localize --strict | head -1
lenet5.onnx: 13 nodes, 1 run of 1 input: wrong

# A library that computes in bfloat16 and is wrong besides; one that computes in float32 and is as far off in one layer.
$ assay check lenet5.onnx -b fault:relu6+precision=bf16 --no-store --no-localize >/dev/null
? 1
$ assay check lenet5.onnx -b fault:weights_bf16@conv1 --no-store --no-localize | head -1
lenet5.onnx: 13 nodes, 1 run of 1 input: wrong

# The store has it.
$ assay check lenet5.onnx -b fault:relu6@nowhere+precision=bf16 --db e.db >/dev/null
? 5
$ python3 -c 'import sqlite3; print(*sqlite3.connect("e.db").execute("SELECT verdict, judged FROM tallies").fetchone())'
explained 1
