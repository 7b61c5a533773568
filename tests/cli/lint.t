# assay lint: what in a model file is not as ONNX has it.
$ assay zoo get lenet5 -o lenet5.onnx
lenet5.onnx: 13 nodes, trained weights

$ assay lint lenet5.onnx
lenet5.onnx: 0 complaints

$ assay lint lenet5.onnx --json | python3 -c "import json, sys; print(json.load(sys.stdin)['models'])"
[{'model': 'lenet5.onnx', 'complaints': []}]

$ assay lint
? 2
! assay: lint needs at least one model; see 'assay help lint'

$ assay lint nothing.onnx
? 2
! No such file

$ assay lint lenet.onnx
? 2
! assay: there is no file 'lenet.onnx' (did you mean 'lenet5.onnx'?)

$ head -c 300 lenet5.onnx > cut.onnx

$ assay lint cut.onnx
? 1
cut.onnx: invalid: damaged or cut off (in a ModelProto), or not an ONNX file at all
cut.onnx: 1 complaint

# What exporters write against the rules and libraries run: told, and run.
$ ln -s "$SRC/tests/fixtures/sloppy" s

$ assay lint s/signal.onnx s/scatter.onnx s/loop.onnx
? 1
s/signal.onnx: wrong: node 'stft' (STFT): the signal has rank 2, wanted 3
s/signal.onnx: 1 complaint
s/scatter.onnx: wrong: node 'scatter' (ScatterElements): reduction 'max' came with opset 18
s/scatter.onnx: 1 complaint
s/loop.onnx: wrong: node 'loop' (Loop): state 's' is declared with rank 1 and starts with rank 0
s/loop.onnx: 1 complaint

# in the graph, in a graph of a node, and between the two
$ assay lint s/order.onnx s/order_inside.onnx s/order_around.onnx
? 1
s/order.onnx: wrong: node 'late' (Neg) reads 't', which a later node makes
s/order.onnx: 1 complaint
s/order_inside.onnx: wrong: node 'late' (Neg) reads 't', which a later node makes
s/order_inside.onnx: 1 complaint
s/order_around.onnx: wrong: node 'if' (If) reads 't', which a later node makes
s/order_around.onnx: 1 complaint

$ assay check s/signal.onnx s/scatter.onnx s/loop.onnx -b reference --no-store 2>warnings | grep -c '^  reference  agree'
3

$ grep -c 'warning: s/' warnings
3
