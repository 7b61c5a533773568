# assay equiv: two ways to compute the same inside one library.
$ assay equiv
? 2
! assay: equiv needs a library, such as -b torch or -b ort; see 'assay help equiv'

$ assay equiv --rules | head -3
 1  optimized     optimized as plain
 2  same_padding  SAME padding as a pad of its own
 3  lower_rank    two dimensions through three

# What is there to lower the precision rounds two ways to compute the same otherwise.
$ assay equiv -b fault:dilation_ignored+lowers=f16 --no-store
? 2
! assay: fault:dilation_ignored+lowers=f16 computes in a lower precision: rules compare in that of the types

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

# The class, with its reason: in the text, in JSON, and in the store.
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 4 --no-store | grep class
  class: wrong value (nothing above explains it)
  classes: wrong value 1
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 4 --no-store --json | python3 -c '
> import json, sys
> found = json.load(sys.stdin)
> print([f["class"] for f in found["findings"]], {k: n for k, n in found["classes"].items() if n})'
['wrong value'] {'wrong value': 1}
$ assay findings show 1 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["evidence"]["class"])'
wrong value

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
  repro: assay replay 1
$ assay findings show 1 | grep 'Decided\|command '
  command  assay equiv -b ort --rule 7 --api 'Relu' --seed 0 --inputs 4 --plant
  Decided by the noise bound: two ways to compute the same are further apart than one rounding of...
$ assay findings export 1 && ls finding-1
finding 1: written to 'finding-1'; see its README.md
README.md
finding.json
inputs.npz
repro.py

# A finding is run again from what the store has, on the version that it was found in, and judged as it was.
$ assay replay 1
? 1
1 on ort@... (...): wrong, ... times the rounding noise
  a: Relu(x)
  b: ...
  element ...: side a ..., side b ...
  decided by the noise bound: ...
the finding shows
$ assay findings --all | awk '/rule 12/ {print $1}' >id; assay replay $(cat id) --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["verdict"], r["expected"], r["shows"], r["oracle"], repr(r["wrong_side"]))'
wrong wrong True noise ''
$ assay replay 1 -b ort >/dev/null
? 1
$ cat >change.py <<END
> import sqlite3, sys
> with sqlite3.connect("assay.db") as db:
>     db.execute("UPDATE findings SET %s WHERE id = %s" % (sys.argv[2], sys.argv[1]))
> END
$ python3 change.py 1 "evidence = json_set(evidence, '$.again.plant', json('false'))"; assay replay 1
1 on ort@... (...): agree
  a: Relu(x)
  b: ...
  both sides agree
the finding (wrong) does not show

# What is stored runs nothing but what equiv itself would: no other operation, no text as an argument, no program.
$ python3 change.py $(cat id) "evidence = json_set(evidence, '$.a', 'Sin(input=t0)')"; assay replay $(cat id)
? 2
! finding ...: it is not a call of Relu
$ python3 change.py $(cat id) "backend = 'exec:/bin/true'"; assay replay $(cat id)
? 2
! finding ...: backend 'exec:/bin/true...' names a program or a file and was not typed: it is started when -b says so
$ python3 change.py $(cat id) "backend = 'ort@0.0.1'"; assay replay $(cat id)
? 2
! finding ...: ...
$ python3 change.py 1 "evidence = json_remove(evidence, '$.again')"; assay replay 1
? 2
! finding 1: it was recorded without its tensors, by an older assay; to see it again: assay equiv -b ort --rule 7 ...

# Killed in the middle of a pair: what was found is there.
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 1000000 --db killed.db >/dev/null & pid=$!; for i in $(seq 600); do assay findings --db killed.db 2>/dev/null | grep -q Relu && break; sleep 0.1; done; kill -9 $pid; wait $pid 2>/dev/null; echo $?; assay findings --db killed.db | tail -1; assay replay 1 --db killed.db >/dev/null
? 1
137
1 finding in 1 cluster; ...

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
! --time: 'never' is not a time such as 90s, 5m or 1h

# A pattern that fits no name is told.
$ assay equiv -b ort --api 'relux*' --no-store
? 4
! warning: no pair has a name like 'relux*'; 'assay equiv -b ort --list' lists the operations
ort ...: 0 of 0 pairs run...
...

# Arguments that are not legal: a rule of its own, which a plain run does not have.
$ assay equiv --rules | tail -1
27  versions      one version, or device, as another

# Pairs of option sets can be left out; a part of a name is none.
$ assay equiv -b ort --rule 1 --api Mul --inputs 4 --no-store | grep -o "of [0-9] pairs"
of 4 pairs
$ assay equiv -b ort --rule 1 --api Mul --inputs 4 --no-store --without O0,O2 | grep -o "of [0-9] pairs"
of 2 pairs
$ assay equiv -b ort --rule 1 --api Mul --inputs 4 --no-store --without O0,O
? 2
! assay: --without: 'O' is not an option set of 'ort'

# One optimizer alone, where it changes the graph.
$ assay equiv -b ort:only=ConstantFolding --rule 12 --api Mul --inputs 4 --no-store 2>/dev/null | grep -o "calls given.*run 0"
calls given ..., run 0
$ assay equiv -b ort:only=NoSuchFusion --rule 12 --api Mul --inputs 4 --no-store 2>/dev/null | grep -o "calls given.*run 0"
calls given ..., run 0

# Version against version.
$ assay equiv -b ort@1.31.1 --against ort@1.20.1 --api Add --inputs 8 --no-store | head -1
ort@1.31.1 ...: 1 of 1 pairs run, 1 with a valid call, 8 inputs: 0 findings
$ assay equiv -b ort --against ort@1.20.1 --api Add --inputs 12 --no-store --plant | sed -n '1,3p;/repro/p'
rule 27 (one version, or device, as another), Add: ...
  a: Add(...)
  b (ort@1.20.1): Add(...)
  repro: assay equiv -b ort --rule 27 --api 'Add' --seed 0 --inputs 12 --against ort@1.20.1 --plant
# An option set against the usual one.
$ assay equiv -b ort --against O0 --api Add --inputs 8 --no-store | head -1
ort ...: 1 of 1 pairs run, 1 with a valid call, 8 inputs: 0 findings
$ assay equiv -b ort --against O0 --api Add --inputs 12 --db sets.db --plant | sed -n '1,3p;/repro/p'; assay replay 1 --db sets.db | grep -c 'b (O0): Add'
rule 27 (one version, or device, as another), Add: ...
  a: Add(...)
  b (O0): Add(...)
  repro: assay equiv -b ort --rule 27 --api 'Add' --seed 0 --inputs 12 --against O0 --plant
1
$ assay equiv -b ort --against O5 --no-store
? 2
! assay: --against: 'O5' is no name with a version, such as ort@1.2, and no option set of ort
$ assay equiv -b ort --against ort --no-store
? 2
! assay: --against: 'ort' is no name with a version, such as ort@1.2, and no option set of ort
$ assay equiv -b ort --against openvino@2026.4.1 --no-store
? 2
! assay: --against: 'openvino@2026.4.1' is not the library of 'ort'
$ assay equiv -b ort --against ort@1.20.1 --rule 12 --no-store
? 2
! assay: --against compares versions or option sets: that is rule 27, and no other

$ assay equiv -b ort --invalid --api Gather --inputs 40 --no-store | head -1
ort ...: 1 of 1 pairs run, ... 40 inputs: 0 findings
