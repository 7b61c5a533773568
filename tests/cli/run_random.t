# assay run: inputs made up from a seed.
$ ln -s "$SRC/tests/fixtures" f

# Floats in [-1, 1), integers in 0..9, bools, strings; the same for the same seed.
$ assay run f/choice.onnx >a && assay run f/choice.onnx --seed 0 >b && cmp a b && assay run f/choice.onnx --seed 1 >c
$ cmp -s a c || echo another seed, other inputs
another seed, other inputs

$ assay run f/choice.onnx --json | python3 -c '
> import json, sys
> a, n, flag, s = json.load(sys.stdin)["inputs"]
> print(all(-1 <= v < 1 for v in a["values"]), all(0 <= v <= 9 for v in n["values"]))
> print(all(v in (True, False) for v in flag["values"]), sorted(s["values"]))
> print([i["dtype"] for i in (a, n, flag, s)])'
True True
True ['s0', 's1', 's2']
['float32', 'int64', 'bool', 'string']

$ assay run f/choice.onnx --random 5:6 --json | python3 -c '
> import json, sys
> a, n, flag, s = json.load(sys.stdin)["inputs"]
> print(all(5 <= v < 6 for v in a["values"]), all(v in (5, 6) for v in n["values"]))'
True True

# Integers that are indices stay small enough to be some.
$ assay run f/gather.onnx >/dev/null

# ---- open dimensions
$ assay run f/image.onnx | grep -o '^[a-z]* [a-z]*: float32\[.*\]'
input x: float32[1,3,32,32]
input z: float32[1,3,1,32]
output y: float32[1,3,1,32]

$ assay run f/image.onnx --dim W=5 --dim x.2=7 --dim N=2 | grep -o '^[a-z]* [a-z]*: float32\[.*\]'
input x: float32[2,3,7,5]
input z: float32[2,3,1,5]
output y: float32[2,3,1,5]

# The model bounds them: poolings and a product, a window and a batch without a name, tables.
$ assay run f/sized/cascade.onnx | grep -o '^[a-z]* [a-z]*: float32\[.*\]'
input x: float32[1,1,48,48]
output y: float32[1,2]

$ assay run f/sized/window.onnx | grep -o '^[a-z]* [a-z]*: float32\[.*\]'
input x: float32[1,256]
input state: float32[2,1,1]
output y: float32[3,1,1]

$ assay run f/sized/positions.onnx | grep -o '^[a-z]* [a-z]*: .*  max 2'
input ids: int64[1,8]  min 0  max 2

# What is given stays, and others are found for it.
$ assay run f/sized/window.onnx --dim T=300 | grep -o '^[a-z]* [a-z]*: float32\[.*\]'
input x: float32[1,300]
input state: float32[2,1,1]
output y: float32[3,1,1]

# A number that the model compares with another one is that one; lengths are as long as what they are of.
$ assay run f/sized/rate.onnx | grep -o '^[a-z]* [a-z]*: int64.*  mean'
input rate: int64[]  min 16000  max 16000  mean
input lens: int64[1]  min 16  max 16  mean
output y: int64[1]  min 16  max 16  mean

# An input from a file says what its named dimensions are.
$ assay run f/linear.onnx --dim N=4 -o x4.npz >/dev/null && assay run f/linear.onnx --dim N=4 | grep -o '^output.*\]'
output y: float32[4,2]

$ assay run f/linear.onnx --dim M=4
? 2
! --dim: the model has no dimension 'M'

$ assay run f/linear.onnx --dim N=many
? 2
! --dim: 'N=many' is not NAME=SIZE

$ assay run f/linear.onnx --dim N=-1
? 2
! is not NAME=SIZE

$ assay run f/linear.onnx --dim N=1000000000000000
? 2
! input 'x'

# ---- ranges
$ assay run f/linear.onnx --random=2:1
? 2
! --random: '2:1' is not a range LO:HI

$ assay run f/choice.onnx --random 0.2:0.4
? 2
! input 'n': no int64 lies in [0.2, 0.4]

# ---- some inputs from files: the others only when asked for
$ assay run f/choice.onnx -o choice >/dev/null; assay run f/choice.onnx -i a=choice/output_0.pb
? 2
! no --input gives 'n'; --random would make it up
