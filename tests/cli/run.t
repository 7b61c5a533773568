# assay run: inputs from files, modes, saving.
$ ln -s "$SRC/tests/fixtures" f

# ---- one model, one input, every format
$ assay run f/linear.onnx --input f/x.npy
input x: float32[2,3]  min -1  max 8  mean 2.41667  std 2.92142
  [[1 2 4] [-1 0.5 8]]
output y: float32[2,2]  min 0  max 3  mean 1.75  std 1.14564
  [[1.5 3] [0 2.5]]

$ assay run f/linear.onnx -i f/x.npy >want
$ for i in x=f/x.npy f/x.npz x=f/x.npz x=f/other.npz f/unnamed.npz f/x.pb x=f/x.pb f/set; do
>   assay run f/linear.onnx -b reference -i $i >got || echo "$i: status $?"
>   cmp want got || echo $i
> done

$ assay run f/linear.onnx -i f/x.npy --mode rounded >got; cmp want got

# ---- every node
$ assay run f/linear.onnx -i f/x.npy --all
input x: ...
  [[1 2 4] [-1 0.5 8]]
node 'product' (MatMul) xw: float32[2,2]  min -2.75  max 3.5  mean 1.1875  std 2.45825
  [[1 3.5] [-2.75 3]]
node 'shift' (Add) xwb: float32[2,2]  ...
  [[1.5 3] [-2.25 2.5]]
node 'clip' (Relu) y: float32[2,2]  ...
  [[1.5 3] [0 2.5]]
output y: ...
  [[1.5 3] [0 2.5]]

# ---- rounding noise: of the size of a float32 rounding, none where relu cuts off, repeatable by the seed
$ assay run f/linear.onnx -i f/x.npy --mode noisy --noise-runs 8
input x: ...
  [[1 2 4] [-1 0.5 8]]
output y: ...
  [[1.5 3] [0 2.5]]
  noise of 8 runs: max ...e-07 (element ...), median ...e-0...
    1.5 ± ...e-0..., 3 ± ...e-07, 0 ± 0, 2.5 ± ...e-07

$ assay run f/linear.onnx -i f/x.npy --mode noisy --seed 5 >a; assay run f/linear.onnx -i f/x.npy --mode noisy --seed 5 >b
> assay run f/linear.onnx -i f/x.npy --mode noisy --seed 6 >c; cmp a b; cmp -s a c || echo another seed, another noise
another seed, another noise

# ---- saving
$ assay run f/linear.onnx -i f/x.npy -o y.npz >/dev/null && python3 -c 'import zipfile; print(zipfile.ZipFile("y.npz").namelist())'
['y.npy']

$ assay run f/linear.onnx -i f/x.npy -o y.npy >/dev/null && python3 -c '
> import struct
> b = open("y.npy", "rb").read()
> print(struct.unpack("<4f", b[-16:]))'
(1.5, 3.0, 0.0, 2.5)

$ assay run f/linear.onnx -i f/x.npy -o folder >/dev/null && ls folder
output_0.pb

# What was saved can be compared: it is a data set of `assay conform`.
$ mkdir -p tree/suite/case/test_data_set_0 && cp f/linear.onnx tree/suite/case/model.onnx
$ cp folder/output_0.pb tree/suite/case/test_data_set_0 && cp f/set/input_0.pb tree/suite/case/test_data_set_0
$ assay conform tree
1 cases: 1 passed (0 not exactly), 0 failed, 0 unsupported
...

# ---- values that are no tensors
$ assay run f/pair.onnx --random 1:1
input x: ...
  [1 1]
output s: sequence of 2
s[0]: float32[2]  ...
  [1 1]
s[1]: float32[2]  ...
  [1 1]

$ assay run f/pair.onnx -o s.npz >/dev/null && python3 -c 'import zipfile; print(zipfile.ZipFile("s.npz").namelist())'
['s.0.npy', 's.1.npy']

$ assay run f/pair.onnx -o s.npy
? 2
...
! output 's' is not a tensor

# A sequence in .pb, read back by conform.
$ mkdir -p seq/suite/case/test_data_set_0 && cp f/pair.onnx seq/suite/case/model.onnx
$ python3 - <<'END'
> import struct
> open("seq/suite/case/test_data_set_0/input_0.pb", "wb").write(bytes([8, 2, 16, 1, 0x4a, 8]) + struct.pack("<2f", 3, 4))
> END
$ assay run f/pair.onnx -i seq/suite/case/test_data_set_0/input_0.pb -o seq/suite/case/test_data_set_0 | tail -1
  [3 4]
$ assay conform seq
1 cases: 1 passed (0 not exactly), 0 failed, 0 unsupported
...

# ---- a default value that nothing replaces, and one that a file does
$ assay run f/default.onnx --random 1:1 | grep -v min
  [1 1]
  [1.5 0.5]

# ---- training: half of the elements go, the others double
$ assay run f/dropout.onnx --random 1:1 --json | python3 -c '
> import json, sys
> print(set(json.load(sys.stdin)["outputs"][0]["values"]))'
{1.0}

$ assay run f/dropout.onnx --random 1:1 --training --json | python3 -c '
> import json, sys
> print(sorted(set(json.load(sys.stdin)["outputs"][0]["values"])))'
[0.0, 2.0]

# ---- messages about the work go to standard error
$ assay run f/linear.onnx -v 2 >/dev/null
! f/linear.onnx: 3 nodes, read in
! run in

# ---- networks of the zoo by name
$ assay zoo get lenet5 -o lenet5.onnx >/dev/null; assay run lenet5.onnx >want; assay run lenet5 >got; cmp want got
$ assay run lenet
? 2
! there is no file and no network 'lenet' (did you mean 'lenet5'?)
