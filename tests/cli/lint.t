# assay lint: what in a model file is not as ONNX has it.
$ assay zoo get lenet5 -o lenet5.onnx
lenet5.onnx: 13 nodes, trained weights

$ assay lint lenet5.onnx
lenet5.onnx: 0 complaints

$ assay lint lenet5.onnx --json | python3 -c "import json, sys; print(json.load(sys.stdin)['models'])"
[{'model': 'lenet5.onnx', 'complaints': []}]

$ assay lint
? 2
! assay: which model?

$ assay lint nothing.onnx
? 2
! No such file

$ head -c 300 lenet5.onnx > cut.onnx

$ assay lint cut.onnx
? 1
cut.onnx: invalid: malformed or cut off in the middle of a ModelProto
cut.onnx: 1 complaint
