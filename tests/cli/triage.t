# assay reduce, replay, bisect: on folders and on a store, with planted faults.
$ mkdir case && cp "$SRC/tests/fixtures/linear.onnx" case/model.onnx && cp "$SRC/tests/fixtures/x.npz" case/inputs.npz

# ---- replay
$ assay replay case -b fault:matmul_tail
? 1
case on fault:matmul_tail (...): wrong, ... times the rounding noise
  output 'y': element ...
the finding shows

$ assay replay case -b fault:relu6
case on fault:relu6 (...): ...
...
no finding

$ assay replay case -b fault:matmul_tail --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["verdict"], r["shows"], r["expected"], sorted(r))'
wrong True None ['backend', 'case', 'expected', 'noise_ratio', 'reason', 'schema', 'shows', 'verdict', 'version']

$ assay replay case
? 2
! 'case' has no finding.json that says which backend: give -b NAME

$ assay replay nowhere -b reference
? 2
! 'nowhere' is neither a folder nor the number of a finding

$ mkdir empty; assay replay empty -b reference
? 2
! cannot

# ---- reduce: three nodes to one, and a bundle that shows it again
$ assay reduce case -b fault:matmul_tail -o bundle
? 1
case on fault:matmul_tail: 3 nodes to 1, ... tries, ... kept
  input x: float32[...]
  MatMul(x, w) -> y
verdict: wrong
  output 'y': ...
bundle: bundle
repro: assay replay bundle

$ ls bundle
README.md
expected.npz
finding.json
inputs.npz
model.onnx
repro.sh
tolerance.npz

$ assay replay bundle >out
? 1
$ ASSAY="$ASSAY" sh bundle/repro.sh >again
? 1
$ tail -1 out
the finding shows
$ assay replay bundle -b reference
bundle on reference (...): agree
the finding (wrong) does not show

# The same seed gives the same bytes for any number of jobs.
$ assay reduce case -b fault:matmul_tail -o one --seed 5 >1
? 1
$ assay reduce case -b fault:matmul_tail -o three --seed 5 --jobs 3 >3
? 1
$ cmp one/model.onnx three/model.onnx && cmp one/inputs.npz three/inputs.npz && sed 's/three/one/' 3 | cmp 1 -

$ assay reduce case -b fault:matmul_tail --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["nodes_before"], r["nodes_after"], r["ops"], r["verdict"], r["bundle"])'
3 1 ['MatMul'] wrong None

$ assay reduce case -b reference
? 2
! case: there is nothing to reduce: reference gives

$ assay reduce case -b fault:matmul_tail --time soon
? 2
! --time: 'soon' is not a time such as 90s, 5m or 1h

$ assay reduce case -b fault:matmul_tail --jobs 0
? 2
! --jobs: 0 is not between 1 and 64

$ assay reduce
? 2
! reduce needs one finding or folder, not 0

# ---- on a store
$ "$(dirname "$ASSAY")/tests/make_store" assay.db other
$ assay replay 1
? 1
1 on fault:relu6 (...): wrong, ... times the rounding noise
...
the finding shows
$ assay reduce 1 --db assay.db
? 1
1 on fault:relu6: 1 node to 1, ... tries, ... kept
  input x: float32[1]
  Relu(x) -> y
verdict: wrong
...
repro: assay replay 1
$ assay replay 1 --json | grep shows
 "shows": true
$ assay replay 1 --original >out
? 1
$ assay replay 7
? 2
! 7
$ assay replay 1 --db nowhere.db
? 2
! nowhere.db

# ---- bisect: a fault has no versions
$ assay bisect 1 --installed
? 2
! no version of 'fault' is known
