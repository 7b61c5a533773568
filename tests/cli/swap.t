# assay swap: one operator after the other changes its library.
$ assay zoo get lenet5 -o lenet5.onnx
lenet5.onnx: 13 nodes, trained weights

$ assay swap lenet5.onnx -b reference,ort
lenet5.onnx: 13 operators from reference to ort: rounding
  all on reference: rounding, ...
...
0 operators beyond the paper's threshold; ...

# A gradient that is wrong in every Gemm and Conv with a bias: each is found, verified, and one of each kind is kept.
$ assay swap lenet5.onnx -b reference,fault:bias_grad_half --gradients
? 1
lenet5.onnx: 13 operators from reference to fault:bias_grad_half: wrong
...
    1. ... wrong gradient
       in fault:bias_grad_half; verified: with this operator computed right the difference goes
...
       repro: assay replay 1
...
5 operators beyond the paper's threshold; ...

$ assay swap lenet5.onnx -b reference,fault:relu6,fault:pool_grad_all -g --json --no-store | python3 -c '
> import json, sys
> for r in json.load(sys.stdin):
>     print(r["backend"], r["verdict"], sorted({o["op"] for o in r["ops"] if o["verdict"] == "wrong"}))
> print(sorted(r["ops"][0]))'
fault:relu6 ...
fault:pool_grad_all ...
['backend', 'beyond', 'both', 'delta_c', 'delta_g', 'gradient', 'node', 'noise_ratio', 'op', 'rank', 'reason', 'together', 'verdict', 'verified']

$ assay swap
? 2
! assay: swap needs at least one model

$ assay swap lenet5.onnx -b ort
? 2
! assay: swap needs two backends: -b BASE,LIBRARY

$ assay swap nothing.onnx
? 2
! nothing.onnx
