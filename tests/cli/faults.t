# assay faults: the catalogue, and its entries as backends.
$ assay faults relu6
relu6                  value     Relu: Relu is cut off at 6
...
1 faults

$ assay faults --json | python3 -c '
> import json, sys
> faults = json.load(sys.stdin)["faults"]
> print(len(faults) >= 40, sorted(faults[0]))
> print(sorted({f["kind"] for f in faults}))'
True ['kind', 'like', 'name', 'operators', 'what']
['gradient', 'process', 'value']

$ assay faults frobnicate
? 2
...
! no fault has 'frobnicate' in its name

# The reference without a fault gives 1.5 3 0 2.5.
$ assay run "$SRC/tests/fixtures/linear.onnx" --input "$SRC/tests/fixtures/x.npy" -b fault:matmul_tail | tail -1
  [[2.5 2.5] [0 1.5]]

$ assay conform "$ASSAY_DEPS/onnx-tests/node" -b fault:softmax_axis --filter test_softmax_axis_1
? 1
failed: node/test_softmax_axis_1: output 'y' element 0 is ..., expected ...
3 cases: 2 passed (0 not exactly), 1 failed, 0 unsupported
...

# A node that the model does not have.
$ assay check lenet5 -b fault:relu6@conv11 --no-store
? 2
...
! assay: lenet5: no node 'conv11' to plant a fault in (did you mean 'conv1'?)

$ assay run lenet5 -b fault:relu6@conv11
? 2
! assay: lenet5: no node 'conv11' to plant a fault in (did you mean 'conv1'?)

$ assay search lenet5 -b reference,fault:relu6@conv11 --no-store
? 2
...
! assay: lenet5: no node 'conv11' to plant a fault in (did you mean 'conv1'?)

$ assay run "$SRC/tests/fixtures/linear.onnx" --input "$SRC/tests/fixtures/x.npy" -b fault:frobnicate
? 2
...
! no fault 'frobnicate'; 'assay faults' lists them
