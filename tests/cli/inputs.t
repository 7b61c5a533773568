# Inputs of check from files, as run takes them, and outputs held against known ones.
$ ln -s "$SRC/tests/fixtures" f
$ python3 - <<'END'
> import os, sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> from make import *
> # y = relu((x + mean of a state of two layers) * scale)
> step = model([node("mean", "ReduceMean", ["h"], ["m"], axes=[0], keepdims=0), node("add", "Add", ["x", "m"], ["s"]),
>               node("cast", "Cast", ["k"], ["c"], to=FLOAT), node("scale", "Mul", ["s", "c"], ["t"]),
>               node("end", "Relu", ["t"], ["y"])],
>              [value("x", FLOAT, ["N", 3]), value("h", FLOAT, [2, "N", 3]), value("k", INT64, [])],
>              [value("y", FLOAT, ["N", 3])])
> open("step.onnx", "wb").write(step)
> open("cdist.onnx", "wb").write(model([node("far", "CDist", ["a", "b"], ["d"], "com.microsoft")],
>     [value("a", FLOAT, [2, 3]), value("b", FLOAT, [4, 3])], [value("d", FLOAT, [2, 4])]) + data(8, data(1, "com.microsoft") + number(2, 1)))
> x, h = npy(FLOAT, [1, 3], [1, 2, 3]), npy(FLOAT, [2, 1, 3], [1, 1, 1, 3, 3, 3])
> k, y = npy(INT64, [], [2]), npy(FLOAT, [1, 3], [6, 8, 10])
> npz("step.npz", {"x": x, "h": h, "k": k})
> npz("y.npz", {"y": y})
> npz("other.npz", {"z": y})
> for name, content in dict(x=x, h=h, k=k, y=y, wrong=npy(FLOAT, [1, 3], [6, 8, 10.5]), far=npy(FLOAT, [1, 3], [-1, 2, 3]),
>                           two=npy(FLOAT, [2, 3], [6, 8, 10, 2, 8, 10]), yy=npy(DOUBLE, [1, 3], [6, 8, 10]),
>                           wide=npy(FLOAT, [1, 4], [0, 0, 0, 0])).items():
>     open(name + ".npy", "wb").write(content)
> npz("many.npz", {"x": npy(FLOAT, [4, 3], [1, 2, 3, 4] * 3), "h": h, "k": k})
> END

# ---- an item of several inputs: a state of two layers, a scalar
$ assay check step.onnx -b reference,ort --data step.npz --no-store | head -1
step.onnx: 5 nodes, 1 run of 1 input: agree

$ assay check step.onnx -b reference,ort -i step.npz --no-store | head -1
step.onnx: 5 nodes, 1 run of 1 input: agree

$ assay check step.onnx -b reference,ort -i x=x.npy -i h=h.npy -i k.npy --no-store | head -1
step.onnx: 5 nodes, 1 run of 1 input: agree

$ assay check f/linear.onnx -b reference,ort -i f/set --no-store | head -1
f/linear.onnx: 3 nodes, 1 run of 2 inputs: ...

# The state and the scalar belong to every item.
$ assay check step.onnx -b reference,ort --data many.npz --no-store | head -1
step.onnx: 5 nodes, 4 runs of 4 inputs: agree

# Several runs; what is given once is for all of them.
$ assay check step.onnx -b reference,ort -i x=x.npy -i x=far.npy -i h=h.npy -i k=k.npy --no-store | head -1
step.onnx: 5 nodes, 2 runs of 2 inputs: agree

$ assay check f/linear.onnx -b reference,ort -i f/x.npy -i f/x.pb --no-store | head -1
f/linear.onnx: 3 nodes, 2 runs of 4 inputs: ...

$ assay swap step.onnx -b reference,ort -i step.npz --no-store | head -1
step.onnx: 5 operators from reference to ort: ...

# ---- what cannot be
$ assay check step.onnx -i x=x.npy -i k=k.npy
? 2
! assay: no --input gives 'h'; --random 1 would make it up
$ assay check step.onnx -b ort -i x=x.npy -i k=k.npy --random 3 --no-store | head -1
step.onnx: 5 nodes, 3 runs of 3 inputs: ...
$ assay check step.onnx -i x=x.npy -i x=x.npy -i x=x.npy -i h=h.npy -i h=h.npy -i k=k.npy
? 2
! assay: input 'h' is given 2 times, another one 3 times
$ assay check step.onnx -i x=wide.npy -i h=h.npy -i k=k.npy
? 2
! assay: 'wide.npy': input 'x' is float32[1,4], the model wants float32[N,3]
$ assay check step.onnx -i z=x.npy
? 2
! assay: --input: 'z' is not an input of the model; its inputs are 'x', 'h', 'k'
$ assay check step.onnx -i step.npz --data step.npz
? 2
! assay: --data and --input both give inputs: take one of them
$ assay check f/linear.onnx --data f/x64.npy
? 2
! assay: 'f/x64.npy': input 'x' is float64[1,3], the model wants float32[N,3]

# ---- known outputs
$ assay check step.onnx -b ort -i step.npz --expect y.npz --no-store | grep '^expected'
expected outputs, ort: agree on 1 of 1 run, 0 times the noise
expected outputs, reference: agree on 1 of 1 run, 0 times the noise

$ assay check step.onnx -b reference,ort -i step.npz --expect y=y.npy --no-store | grep '^expected'
expected outputs, reference: agree on 1 of 1 run, 0 times the noise
expected outputs, ort: agree on 1 of 1 run, 0 times the noise

$ assay run step.onnx -i step.npz -o folder >/dev/null; assay check step.onnx -b ort -i step.npz --expect folder --no-store | grep '^expected outputs, ort'
expected outputs, ort: agree on 1 of 1 run, 0 times the noise

$ assay check step.onnx -b ort -i step.npz --expect wrong.npy --no-store >out
? 1
$ grep -A1 '^expected' out
expected outputs, ort: wrong on 1 of 1 run, 655,040 times the noise; output 'y': element 2: got 10,
  expected 10.5; 1 element beyond the limit
expected outputs, reference: wrong on 1 of 1 run, 655,040 times the noise; ...
...

# A planted fault is not excused by what is known: the library is wrong, the reference is right.
$ assay check step.onnx -b fault:relu6 -i step.npz --expect y.npz --no-store --json >out
? 1
$ python3 -c '
> import json
> for e in json.load(open("out"))["expected"]: print(e["backend"], e["verdict"], e["by"], e["output"], e["got"], e["expected"])'
fault:relu6 wrong rounding y 6.0 10.0
reference agree rounding y ... ...

# One file for several runs is cut along the first axis; one file each does as well.
$ assay check step.onnx -b ort -i x=x.npy -i x=far.npy -i h=h.npy -i k=k.npy --expect two.npy --no-store | grep 'outputs, ort'
expected outputs, ort: agree on 2 of 2 runs, 0 times the noise
$ assay check step.onnx -b ort -i x=x.npy -i x=far.npy -i h=h.npy -i k=k.npy --expect y.npy --expect y.npy --no-store | grep 'outputs, ort'
expected outputs, ort: wrong on 1 of 2 runs, ...

# gate knows right outputs as well: what is not as expected is new.
$ assay gate step.onnx -b ort -i step.npz --expect y.npz --write right.tsv --db gate.db | tail -3
green: 0 new, 0 fixed, 0 as expected, 0 as before, 1 without a failure
...
$ assay gate step.onnx -b ort -i step.npz --expect wrong.npy --baseline right.tsv --db gate.db | head -4
new      step.onnx on ort: wrong, before agree
         output 'y': element 2: got 10, expected 10.5; 1 element beyond the limit
red: 1 new, 0 fixed, 0 as expected, 0 as before, 0 without a failure
...

# A backend test's own folder.
$ assay check f/linear.onnx -b ort --data f/conform/tiny/test_linear --expect f/conform/tiny/test_linear --no-store | grep 'outputs, ort'
expected outputs, ort: ... on 1 of 1 run, ...

# Tolerances decide where the user names them, and where the reference cannot run the model.
$ assay check step.onnx -b ort -i step.npz --expect wrong.npy --rtol 0.1 --no-store | grep '^expected outputs, ort'
expected outputs, ort: rounding on 1 of 1 run, 0.476 of the tolerance

$ assay check step.onnx -b ort -i step.npz --expect wrong.npy --no-judge --no-store | grep '^expected'
expected outputs, ort: wrong on 1 of 1 run, 47.6 of the tolerance; ...

# What the reference cannot run is judged by what is known of it, and counts as judged.
$ assay run cdist.onnx -b ort -o d.npz >/dev/null; assay check cdist.onnx -b ort --expect d.npz --no-store
cdist.onnx: 1 node, 1 run of 2 inputs: unjudged
...
expected outputs, ort: agree on 1 of 1 run, 0 of the tolerance
...
ort           1       1       1            0        0         0

# ---- what is expected does not fit
$ assay check step.onnx -i step.npz --expect other.npz
? 2
! assay: other.npz: member 'z' is not an output of the model; its outputs are 'y'
$ assay check step.onnx -i step.npz --expect z=y.npy
? 2
! assay: --expect: 'z' is not an output of the model; its outputs are 'y'
$ assay check step.onnx -i step.npz --expect yy.npy
? 2
! assay: 'yy.npy': output 'y' is float64[1,3], that of the model is float32
$ assay check step.onnx -b ort -i step.npz --expect wide.npy --no-store
? 2
! assay: 'wide.npy': output 'y' is float32[1,4], the model gives float32[1,3]
$ assay check step.onnx -i step.npz --expect nothing.npy
? 2
! nothing.npy
$ assay check step.onnx -i x=x.npy -i x=far.npy -i h=h.npy -i k=k.npy --expect y.npy
? 2
! assay: 'y.npy': output 'y': cannot be cut into 2 runs along its first axis

# ---- sizes that nobody gave are told
$ assay check f/image.onnx -b ort --no-store | head -3
x: float32[N=1, 3, x.2=32, W=32]; x.2 and W were made up: --dim x.2=…
z: float32[N=1, 3, 1, W=32]; W was made up: --dim W=…
f/image.onnx: 2 nodes, 1 run of 1 input: ...
$ assay check f/image.onnx -b ort --no-store --dim W=4 --dim x.2=5 | head -1
f/image.onnx: 2 nodes, 1 run of 1 input: ...
$ assay run f/image.onnx --dim W=4 | grep 'made up'
x: float32[N=1, 3, x.2=32, W=4]; x.2 was made up: --dim x.2=…
$ assay swap f/image.onnx --no-store | head -2
x: float32[N=1, 3, x.2=32, W=32]; x.2 and W were made up: --dim x.2=…
z: float32[N=1, 3, 1, W=32]; W was made up: --dim W=…
$ assay search f/image.onnx --level input --cases 1 --no-store | sed -n 2p
x: float32[N=1, 3, x.2=32, W=32]; x.2 and W were made up: --dim x.2=…
$ for verb in run check swap search; do assay $verb f/image.onnx --dim W=4 --json $(test $verb = run || echo --no-store) | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(*[d["made_up"] for d in (r["models"][0] if "models" in r else r)["input_sizes"][0]["dims"]])'; done
True False True False
True False True False
True False True False
True False True False

# A dimension that a file gives is not made up, also of another input.
$ python3 -c '
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures"); sys.dont_write_bytecode = True
> from make import *
> open("z.npy", "wb").write(npy(FLOAT, [1, 3, 1, 2], range(6)))'
$ assay check f/image.onnx -b ort -i z=z.npy --random 1 --no-store | head -1
x: float32[N=1, 3, x.2=32, W=2]; x.2 was made up: --dim x.2=…

# In a list each model has its own, and one that failed has none.
$ printf 'no model' >bad.onnx; assay check f/image.onnx bad.onnx f/linear.onnx -b ort --no-store --json 2>/dev/null | python3 -c '
> import json, sys
> for r in json.load(sys.stdin): print(r["verdict"], [i["name"] for i in r.get("input_sizes", [])])'
... ['x', 'z']
error []
... ['x']
