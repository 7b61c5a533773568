# Broken files: exit status 2 and a message that names file, node and tensor.
$ ln -s "$SRC/tests/fixtures" f

$ assay run nowhere.onnx
? 2
! cannot open 'nowhere.onnx'

$ assay run f
? 2
! cannot read 'f': it is a folder

$ assay run f/broken/cut.onnx
? 2
! f/broken/cut.onnx: damaged or cut off

$ assay run f/broken/empty.onnx
? 2
! f/broken/empty.onnx: not an ONNX model: it is empty

$ assay run f/broken/text.onnx
? 2
! f/broken/text.onnx

$ assay run f/broken/unknown-op.onnx
? 2
! f/broken/unknown-op.onnx: node 'mystery': operator Frobnicate of domain 'ai.onnx' is not known

$ assay run f/broken/future.onnx
? 2
! f/broken/future.onnx: node 'clip': opset 999

$ assay run f/broken/cycle.onnx
? 2
! f/broken/cycle.onnx: node 'one' (Add) depends on its own output

$ assay run f/broken/no-source.onnx
? 2
! f/broken/no-source.onnx: node 'product' (MatMul): input 'nowhere' is made by no node

$ assay run f/broken/shapes.onnx
? 2
! f/broken/shapes.onnx: node 'product' (MatMul): inner dimensions differ: 3 and 4

$ assay run f/broken/types.onnx
? 2
! f/broken/types.onnx: node 'sum' (Add)

$ assay run f/broken/bad-attribute.onnx
? 2
! f/broken/bad-attribute.onnx: node 'flat' (Flatten): axis 9

$ assay run f/broken/lying-init.onnx
? 2
! f/broken/lying-init.onnx: initializer 'w'

# ---- a cycle, in the files that other verbs read
$ mkdir -p case seeds/corpus/0; cp f/broken/cycle.onnx case/model.onnx; cp f/broken/cycle.onnx seeds/corpus/0/model.onnx; cp f/x.npz case/inputs.npz; cp f/x.npz seeds/corpus/0/inputs.npz

$ assay reduce case -b reference
? 2
! case/model.onnx: node 'one' (Add) depends on its own output

$ assay replay case -b reference
? 2
! case/model.onnx: node 'one' (Add) depends on its own output

$ assay fuzz -i seeds -b reference --models 1 --no-store
? 2
! seeds/corpus/0/model.onnx: node 'one' (Add) depends on its own output

$ assay extract f/broken/cycle.onnx -o parts
? 2
! f/broken/cycle.onnx: node 'one' (Add) depends on its own output

# ---- inputs
$ assay run f/linear.onnx -i f/broken/cut.npy
? 2
! f/broken/cut.npy

$ assay run f/linear.onnx -i f/broken/cut.npz
? 2
! f/broken/cut.npz

$ assay run f/linear.onnx -i f/broken/cut.pb
? 2
! f/broken/cut.pb

$ assay run f/linear.onnx -i f/x64.npy
? 2
...
! input 'x' is float64[2,3], the model wants float32[N,3]

$ assay run f/linear.onnx -i f/other.npz
? 2
! f/other.npz: member 'z' is not an input of the model; its inputs are 'x'

$ assay run f/linear.onnx -i z=f/x.npy
? 2
! --input: 'z' is not an input of the model; its inputs are 'x'

$ assay run f/linear.onnx -i f/x.npy -i x=f/x.npy
? 2
! given twice

$ assay run f/choice.onnx -i f/x.npy
? 2
! say which input it is for, as --input NAME=f/x.npy; inputs are 'a', 'n', 'flag', 's'

$ assay run f/linear.onnx -i f/make.py
? 2
! 'f/make.py' is neither .npy, .npz, .pb nor a folder

$ assay run f/linear.onnx -i f/broken
? 2
! no input_<n>.pb in folder 'f/broken'

# ---- modes and outputs
$ assay run f/linear.onnx --mode fuzzy
? 2
! --mode: 'fuzzy' is not exact, rounded or noisy

$ assay run f/linear.onnx --noise-runs 8
? 2
! --noise-runs needs --mode noisy

$ assay run f/linear.onnx --mode noisy --noise-runs 65
? 2
! --noise-runs: 65 is not between 1 and 64

$ assay run f/choice.onnx -o y.npy
? 2
...
! the model has 2 outputs, a .npy file holds one

$ assay run f/linear.onnx -o nowhere/y.npz
? 2
...
! nowhere/y.npz

$ assay run f/linear.onnx -o nowhere/folder
? 2
...
! cannot make folder 'nowhere/folder'
