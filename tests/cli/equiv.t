# assay equiv: two ways to compute the same inside one library.
$ assay equiv
? 2
! assay: equiv needs a library: -b tf, -b torch, -b mxnet, -b ort

$ assay equiv --rules | head -3
 1  optimized     optimized as plain
 2  same_padding  SAME padding as a pad of its own
 3  lower_rank    two dimensions through three

# ---- findings: recorded as they come, by the door that all methods take
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 4
? 1
rule 7 (the documented formula), Relu: wrong on 4 of 4 inputs
...
  repro: assay equiv -b ort --rule 7 --api 'Relu' --seed 0 --inputs 4 --plant
...
$ assay findings --all
id  cluster  verdict ...
 1        1  wrong   ...      0  Relu      ort (...)  rule 7
1 finding in 1 cluster; ...

# How much was judged; what no operation matches is not green.
$ assay equiv -b ort --rule 7 --api Relu --inputs 4 --no-store | tail -2
backend   given     ran  judged  unsupported  vacuous  unjudged
ort           4       4       4            0        0         0
$ assay equiv -b ort --rule 7 --api Nothing --inputs 4 --no-store >/dev/null
? 4
! assay: warning: ort was judged on nothing: 0 cases given

# The same run finds the same: it is there already.
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 4 >/dev/null
? 1
$ assay findings --all | tail -1
1 finding in 1 cluster; ...

# Of one signature five are kept, whatever the inputs, and they are one cluster.
$ for i in 1 2 3 4 5 6; do assay equiv -b ort --plant --rule 7 --api Relu --inputs 4 --seed $i >/dev/null; done
? 1
$ assay findings --all | tail -1
5 findings in 1 cluster; ...
$ assay findings --json --method equiv | python3 -c '
> import json, sys
> found = json.load(sys.stdin)
> print(len(found["findings"]), {f["signature"] for f in found["findings"]}, [c["findings"] for c in found["clusters"]])'
5 {'onnxruntime/Relu/wrong/rule 7'} [5]
$ assay report | head -1
5 findings in 1 cluster; 8 campaigns, 32 cases in ...

# Another rule is another signature.
$ assay equiv -b ort --plant --rule 12 --api Relu --inputs 4 >/dev/null
? 1
$ assay findings --all | tail -1
6 findings in 2 clusters; ...

$ assay findings show 1 | grep -A1 -e '^signature' -e '^Where' -e '^See it'
signature onnxruntime/Relu/wrong/rule 7
cluster ..., with 4 other findings ('assay findings --cluster ...')
--
Where
  operation Relu
--
See it yourself
  repro: assay equiv -b ort --rule 7 --api 'Relu' --seed 0 --inputs 4 --plant
$ assay findings export 1 && ls finding-1
finding 1: written to 'finding-1'; its README.md tells more
README.md
finding.json
inputs.npz
repro.py
$ assay replay 1
? 2
! finding 1 has no model; to see it again: assay equiv -b ort --rule 7 --api 'Relu' --seed 0 --inputs 4 --plant

# A journal's findings reach a store that has not got them.
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 4 --resume journal --no-store >/dev/null
? 1
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 4 --resume journal --db later.db >/dev/null
? 1
$ assay findings --db later.db | tail -1
1 finding in 1 cluster; ...

# A run that goes on has the counts of one that was never stopped.
$ assay equiv -b ort --rule 7 --inputs 8 --no-store | tail -1 >once; assay equiv -b ort --rule 7 --inputs 8 --no-store --resume again >/dev/null
$ head -4 again >some; assay equiv -b ort --rule 7 --inputs 8 --no-store --resume some --jobs 2 | tail -1 | cmp - once

$ assay equiv -b ort --time never
? 2
! --time: 'never' is no time such as 90s, 5m or 1h

# What a library has for its own use is listed with the reason, and is not asked.
$ assay equiv -b torch --list | grep '^inductor\|^fsdp\|^_test' >inner; grep -c "::_alloc_from_pool .* - internal to torch.compile" inner; grep -vc " - " inner
? 1
1
0
