# assay swap: one operator after the other changes its library.
$ assay zoo get lenet5 -o lenet5.onnx
lenet5.onnx: 13 nodes, trained weights

$ assay swap lenet5.onnx -b reference,ort
lenet5.onnx: 13 operators from reference to ort: rounding
  all on reference: rounding, ...
...
0 operators beyond the paper's threshold; ...
backend     given     ran  judged  unsupported  vacuous  unjudged
reference      13      13      13            0        0         0
ort            13      13      13            0        0         0

# A gradient that is wrong in every Gemm and Conv with a bias: each is found, verified, and one of each kind is kept.
$ assay swap lenet5.onnx -b reference,fault:bias_grad_half --gradients
? 1
lenet5.onnx: 13 operators from reference to fault:bias_grad_half: wrong
...
    1. ... wrong gradient
       in fault:bias_grad_half; verified: replacing this operator with the reference removes the difference
...
       repro: assay replay 1
...
5 operators beyond the paper's threshold; ...
...

$ assay swap lenet5.onnx -b reference,fault:relu6,fault:pool_grad_all -g --json --no-store | python3 -c '
> import json, sys
> for r in json.load(sys.stdin):
>     print(r["backend"], r["verdict"], sorted({o["op"] for o in r["ops"] if o["verdict"] == "wrong"}))
> print(sorted(r["ops"][0]))'
fault:relu6 ...
fault:pool_grad_all ...
['backend', 'base', 'beyond', 'both', 'delta_c', 'delta_g', 'gradient', 'node', 'noise_ratio', 'op', 'rank', 'reason', 'together', 'verdict', 'verified']

$ assay swap
? 2
! assay: swap needs at least one model

$ assay swap lenet5.onnx -b ort
? 2
! assay: swap needs two backends: -b BASE,LIBRARY

$ assay swap nothing.onnx
? 2
! nothing.onnx

# A network of the zoo by its name.
$ assay swap lenet5 -b reference,ort --json --no-store | python3 -c '
> import json, sys
> print(len(json.load(sys.stdin)["ops"]))'
13

# Training: the step, the parameter and the operator of a wrong gradient; a right library stays quiet.
$ assay swap mlp -b reference,fault:bias_grad_half@fc2 --train 3 --no-store
? 1
...
training on fault:bias_grad_half@fc2, 3 steps of sgd, rate 0.01, 6 parameters: wrong
...
  gradients part at step 1, parameter 'fc2.bias': element ...
    Gemm (fc2) in fault:bias_grad_half@fc2: its gradient is wrong; verified
  ways part beyond rounding after step 1, parameter 'fc2.bias': ...
...

$ assay swap mlp -b reference,fault:pool_grad_all --train 4 --optimizer adam --lr 0.002 --no-store --json | python3 -c '
> import json, sys
> t = json.load(sys.stdin)["training"]
> print(t["optimizer"], t["rate"], t["verdict"], t["parted"], t["way_parted"], len(t["steps"]))
> print(sorted(t["steps"][0]["gradient"]))'
adam 0.002 rounding None None 4
['noise_ratio', 'parameter', 'verdict']

$ assay swap lenet5 -b reference,ort --train 2 --no-store
...
training on ort, 0 steps of sgd, rate 0.01, 10 parameters: not possible
  ort: computes no gradients
...

$ assay swap lenet5 --train 2 --optimizer rmsprop
? 2
! assay: --optimizer: 'rmsprop' is not sgd, momentum or adam

$ assay swap lenet5 --train -1
? 2
! --train: '-1' is not a whole number from 1 on

# The library's own optimizer: its steps are judged too, and a wrong one is its optimizer's.
$ assay swap mlp -b reference,fault:momentum_forgotten --train 3 --optimizer momentum --own-optimizer --no-store
? 1
...
training on fault:momentum_forgotten, 3 steps of momentum, rate 0.01, 6 parameters: wrong
  its own optimizer takes its steps
  step    gradient  of                                update  of                                   way  of
...
  gradients stay within rounding
  updates part at step 2, parameter ...
    Momentum (...) in fault:momentum_forgotten: wrong; verified
  ways part beyond rounding after step 2, parameter ...
...
$ assay swap mlp -b reference,fault:adam_uncorrected@fc2.bias --train 1 --optimizer adam --own-optimizer --no-store --json | python3 -c '
> import json, sys
> t = json.load(sys.stdin)["training"]
> own, parted = t["own_optimizer"], t["own_optimizer"]["parted"]
> print(own["used"], own["why_not"], own["stand_ins"], t["parted"])
> print(parted["step"], parted["parameter"], parted["op"], parted["node"], parted["verified"])
> print(t["steps"][0]["update"]["verdict"])'
True None 0 None
1 fc2.bias Adam fc2.bias True
wrong
$ assay swap mlp --own-optimizer
? 2
! assay: --own-optimizer needs --train

# A real loss, on mini-batches with labels.
$ assay zoo get digits8_mlp --batch 2 -o two.onnx
two.onnx: 6 nodes, trained weights
$ python3 -c '
> for item in range(6): print(",".join(str((item * 31 + i * 7) % 17) for i in range(64)) + "," + str(item))' > items.csv
$ assay swap two.onnx -b reference,fault:softmax_grad_diagonal --train 2 --loss cross-entropy --data items.csv --no-store --json | python3 -c '
> import json, sys
> t = json.load(sys.stdin)["training"]
> print(t["loss"], t["verdict"], len(t["steps"]), t["parted"]["step"], t["parted"]["op"])'
cross-entropy wrong 2 1 Softmax
$ assay swap two.onnx -b reference,fault:pool_grad_all --train 1 --loss mse --no-store
? 2
! assay: --loss needs --data with --labels or --targets
$ assay swap two.onnx --loss mse
? 2
! assay: --loss needs --train
$ assay swap two.onnx --train 1 --loss hinge
? 2
! assay: --loss: 'hinge' is not mse or cross-entropy
$ assay swap two.onnx --train 1 --training-form
? 2
! assay: --training-form needs --loss
$ assay swap two.onnx --timeout -1
? 2
! --timeout: '-1' is not a number above 0
$ assay swap two.onnx -b reference,fault:pool_grad_all --train 1 --loss mse --training-form --data items.csv --no-store
? 2
! no operator of the network is otherwise in training

# Between two versions of one library.  What goes wrong only in a fused segment is told as such, with the way on.
$ assay swap "$SRC/tests/fixtures/fusible/bert.onnx" -b ort@1.31.1,ort@1.20.1 --no-store >versions
? 1
$ sed -n '2p;4,5p' versions
  all on ort@1.31.1: rounding, ...; all on ort@1.20.1: wrong, ...
    1. ... wrong
       in ort@1.20.1, not alone but in a segment of ... nodes; verified: ...
$ grep -c "'assay check MODEL -b ort@1.20.1' finds the smallest" versions
1

# Shards: each model is in one of them, and comes to the same there as in the whole.
$ for m in mlp gru rows_gru; do assay zoo get $m -o $m.onnx >/dev/null; done; cat >shards.py <<'X'
> import json, subprocess, sys
> def run(*words):
>     done = subprocess.run(["assay", *sys.argv[1:], "--no-store", "--json", *words], capture_output=True, text=True)
>     runs = json.loads(done.stdout)
>     runs = runs if isinstance(runs, list) else [runs]
>     for r in runs:
>         r.pop("seconds", None)
>     return runs
> whole, parts = run(), [run("--shard", f"{k}/3") for k in (1, 2, 3)]
> print([r["model"] for r in whole], [[r["model"] for r in p] for p in parts])
> print("the same:", whole == sorted(sum(parts, []), key=lambda r: [w["model"] for w in whole].index(r["model"])))
> X
$ python3 shards.py swap lenet5.onnx mlp.onnx gru.onnx rows_gru.onnx -b reference,fault:relu6
['lenet5.onnx', 'mlp.onnx', 'gru.onnx', 'rows_gru.onnx'] [['lenet5.onnx', 'rows_gru.onnx'], ['mlp.onnx'], ['gru.onnx']]
the same: True
$ assay swap lenet5.onnx mlp.onnx -b reference,fault:relu6 --no-store --shard 3/3 --json | grep -c '"model":'
? 1
0
