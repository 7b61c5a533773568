# Threads of the program: what is printed is the same as with one.  `make tsan` runs this file under ThreadSanitizer.
$ ln -s "$SRC/tests/fixtures/conform" tree
$ mkdir case && cp "$SRC/tests/fixtures/linear.onnx" case/model.onnx && cp "$SRC/tests/fixtures/x.npz" case/inputs.npz

# Cases side by side.
$ assay conform tree/ -b reference,fault:matmul_tail --jobs 1 >one
? 1
$ assay conform tree/ -b reference,fault:matmul_tail --jobs 3 >three
? 1
$ cmp one three && grep passed three
reference: 4 cases: 2 passed (0 not exactly), 1 failed, 1 unsupported
fault:matmul_tail: 4 cases: 1 passed (0 not exactly), 2 failed, 1 unsupported

# Tries side by side.
$ assay reduce case -b fault:matmul_tail -o bundle --seed 5 >one
? 1
$ assay reduce case -b fault:matmul_tail -o bundle --seed 5 --jobs 3 >three
? 1
$ cmp one three && head -1 three
case on fault:matmul_tail: 3 nodes to 1, ...

# The next case is run while the last one is judged.
$ assay fuzz -b reference,fault:relu6 --models 24 --blocks 6 --seed 8 --db f.db --jobs 2 >out
? 1
$ grep -A1 '^findings' out
findings: 1, stored 1, new 1; triage took ... % of the time
finding 1: fault:relu6/Relu/wrong/f32.4d, 1 node

# Libraries side by side.
$ assay search lenet5 -b reference,fault:relu6,fault:pads_swapped --level input --cases 3 --keep 1 --db s.db --jobs 3 >out
? 1
$ grep recorded out
... failures, 1 finding recorded
