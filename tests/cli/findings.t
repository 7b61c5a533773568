# assay findings: the store, for people and programs.
$ assay findings
? 2
! there is no store of findings 'assay.db': No such file or directory; check, search, equiv, swap and fuzz make one

$ "$(dirname "$ASSAY")/tests/make_store" assay.db && "$(dirname "$ASSAY")/tests/make_store" other.db other

# ---- list
$ assay findings
id  findings  verdict  ratio  nodes  operator          backend         class
 5         1  wrong      inf      1  Einsum, gradient  other (0.9)     f32.2d*
 3         3  wrong    1e+07      1  AveragePool       toy@1.2.1:fast  f32.4d,ceil_mode=1,kernel_sh…
 4         1  crash        -      1  (Relu)            other (0.9)     f32.2d
5 findings in 3 clusters; 'assay findings show ID' shows one in full, --all lists each

$ assay findings list --all
id  cluster  verdict  ratio  nodes  operator          backend         class
 1        3  wrong    1,673      1  AveragePool       toy@1.2.0:fast  ...
 2        3  wrong       45      3  AveragePool       toy@1.2.0:fast  ...
 3        3  wrong    1e+07      1  AveragePool       toy@1.2.1:fast  ...
 4        4  crash        -      1  (Relu)            other (0.9)     f32.2d
 5        5  wrong      inf      1  Einsum, gradient  other (0.9)     f32.2d*
5 findings in 3 clusters; 'assay findings show ID' shows one in full

# It fits: no line is wider than the terminal is.
$ COLUMNS=60 assay findings --all | python3 -c 'import sys; print(max(len(l.rstrip("\n")) for l in sys.stdin) <= 60)'
True
$ COLUMNS=200 assay findings | grep -c 'f32.4d,ceil_mode=1,kernel_shape=n,pads=mixed,strides=n'
1
$ COLUMNS=70 assay findings show 1 | python3 -c 'import sys; print(max(len(l.rstrip("\n")) for l in sys.stdin) <= 70)'
True

# ---- filters
$ for f in '--backend toy' '--backend toy@1.2.0' '--backend otherlib' '--backend to' '--verdict crash' '--op einsum' '--method fuzz' '--cluster 3' '--cluster 1'
> do echo "$f: $(assay findings --all $f | tail -1)"; done
--backend toy: 3 findings in 1 cluster; ...
--backend toy@1.2.0: 2 findings in 1 cluster; ...
--backend otherlib: 2 findings in 2 clusters; ...
--backend to: no findings
--verdict crash: 1 finding in 1 cluster; ...
--op einsum: 1 finding in 1 cluster; ...
--method fuzz: 3 findings in 1 cluster; ...
--cluster 3: 3 findings in 1 cluster; ...
--cluster 1: no findings

# The best example of a cluster may be filtered away; its number stays.
$ assay findings -b toy@1.2.0
id  findings  verdict  ratio  nodes  operator     backend         class
 1         2  wrong    1,673      1  AveragePool  toy@1.2.0:fast  ...
2 findings in 1 cluster; ...

# ---- show
$ assay findings show 1
Finding 1: toylib 1.2.0 gives wrong numbers at AveragePool
recorded 2026-01-01 00:00 UTC by assay fuzz
signature toylib/AveragePool/wrong/f32.4d,ceil_mode=1,kernel_shape=n,strides=n
cluster 3, with 2 other findings ('assay findings --cluster 3')

What was run
  library  toylib 1.2.0, as 'toy@1.2.0:fast'
  command  assay fuzz -b toy@1.2.0:fast --seed 7 --time 60s
  seed     7
  model    1 node, reduced from 30; opset 10
    c0: constant float32[1,1,3,3]{1,2,3,4,5,6,7,8,9}
    y0 = AveragePool(c0) kernel_shape=[2,2] strides=[2,2] ceil_mode=1

What the library returned
  'y0', element 3: got 2.25, expected 9, 1,673 times rounding noise; 1 element beyond rounding
  in the model as it was found: output 'y0' differs by more than rounding explains

What is expected, and why
  The expected numbers are known: ...
...
  expected outputs
    y0: float32[1,1,2,2]  min 3  max 9  mean 6  std 2.37171
      [[[[3 4.5] [7.5 9]]]]

How far beyond rounding
  1,673 times the rounding noise; correct libraries stay below 20.

Where
  node 'AveragePool_0', operator AveragePool, parameter 'ceil_mode'
  isolated  node 'AveragePool_0' (AveragePool) alone, fed with the reference's own tensors: wrong,
            1,673 times rounding noise; the difference is gone without ceil_mode
  swap      'AveragePool_0' computed by the reference instead: the difference is gone
  map       node 'AveragePool_0' (AveragePool): rate of change 31.2, difference 0.004
  With its intermediate tensors exposed ...
...
  The library's own switch that is sufficient to make it right: optimizer PoolFusion

Since when
  The first version that does so is toylib 1.1.0.
  It is right again from toylib 1.3.0 on.

See it yourself
  repro: assay replay 1
  assay findings export 1 writes a folder for the library's maintainers: ...
...

$ assay findings show 4
Finding 4: otherlib 0.9 crashes
...
What the library returned
  crash (signal 11)

What is expected, and why
  The model is valid: the reference computes every node in double precision, ...
...
Where
  No single node is blamed.
  Blame failed: the library crashed again

Since when
  Seen in otherlib 0.9; 'assay bisect 4' finds the first version.
...

# Numbers cannot tell what is wrong with a text, or with an integer of more than 53 bits: then the words of the judge do.
$ cp assay.db told.db; python3 -c '
> import json, sqlite3
> db = sqlite3.connect("told.db")
> evidence = json.loads(db.execute("select evidence from findings where id = 1").fetchone()[0])
> evidence["reduced_numbers"].update(exact="nan", got="nan", noise_ratio="inf", beyond=2, told="element 3: got \"a\", expected \"b\"")
> db.execute("update findings set evidence = ?", (json.dumps(evidence),))
> db.commit()'; COLUMNS=200 assay findings show 1 --db told.db | grep 'element 3'
  'y0', element 3: got "a", expected "b"; 2 elements are not equal
$ assay report --db told.db --html told.html; grep -o 'y0: element 3: got &quot;a&quot;, expected &quot;b&quot;' told.html | uniq
y0: element 3: got &quot;a&quot;, expected &quot;b&quot;

# What a name says to the terminal does not reach it.
$ assay findings show 5 | grep -c "$(printf '\033')"
? 1
0
$ assay findings show 5 | grep "gradients at Einsum"
Finding 5: otherlib 0.9 gives wrong gradients at Einsum

# ---- JSON: the keys are a contract
$ assay findings show 1 --json | python3 -c '
> import json, sys
> f = json.load(sys.stdin)
> contract = "id signature method backend version verdict op node noise_ratio nodes repro".split()
> print([f[k] for k in contract])
> print(sorted(set(f) - set(contract)))
> print(f["evidence"]["reduce"]["guilty"])'
[1, 'toylib/AveragePool/wrong/f32.4d,ceil_mode=1,kernel_shape=n,strides=n', 'fuzz', 'toy@1.2.0:fast', '1.2.0', 'wrong', 'AveragePool', 'AveragePool_0', 1673.2, 1, 'assay replay 1']
['campaign', 'cluster', 'command', 'detail', 'evidence', 'gradient', 'library', 'original_nodes', 'parameter', 'schema', 'seed', 'since', 'time', 'until']
optimizer PoolFusion

$ assay findings --json --db ./assay.db | python3 -c '
> import json, sys
> j = json.load(sys.stdin)
> print(j["db"], len(j["findings"]), [(c["cluster"], c["findings"]) for c in j["clusters"]])
> print([f["noise_ratio"] for f in j["findings"]], j["findings"][0]["repro"])'
./assay.db 5 [(5, 1), (3, 3), (4, 1)]
[1673.2, 45.0, 10000000.0, 'inf', 'inf'] assay replay 1 --db ./assay.db

# ---- the repro line of a finding shows it, and its folder can be sent
$ assay findings show 1 --db other.db | head -1
Finding 1: fault:relu6 1.2.0 gives wrong numbers at Relu
$ assay findings show 1 --db other.db | grep repro:
  repro: assay replay 1 --db other.db
$ assay replay 1 --db other.db
? 1
...
$ assay findings export 1 --db other.db
finding 1: written to 'finding-1'; see its README.md
$ ls finding-1
...
expected.npz
...
inputs.npz
model.onnx
...
$ grep -c Relu finding-1/README.md >/dev/null && assay replay finding-1
? 1
...
$ assay findings export 1 -o one && test -s one/model.onnx && test -s one/inputs.npz
finding 1: written to 'one'; see its README.md
$ assay findings export 1 -o two --json
{
 "schema": "assay/1",
 "id": 1,
 "path": "two"
}
# a store that damage left with bytes that are no characters
$ cp assay.db damaged.db && python3 -c '
> import sqlite3
> with sqlite3.connect("damaged.db") as db: db.execute("UPDATE findings SET op = CAST(? AS TEXT)", (b"Re\xfflu",))'
$ assay findings export 1 -o damaged --db damaged.db && python3 -c '
> import json
> print(ascii(json.load(open("damaged/finding.json"))["op"]))'
finding 1: written to 'damaged'; see its README.md
'Re\ufffdlu'
$ assay findings export 99
? 2
! there is no finding 99
$ assay findings export 1 -o /dev/null/x
? 2
! finding 1: ...

# ---- merge: two findings of one signature, backend and model are one
$ assay findings merge other.db assay.db --db new.db
other.db: 1 finding added to 'new.db'
assay.db: 4 findings added to 'new.db'
$ assay findings merge other.db assay.db --db new.db
other.db: 0 findings added to 'new.db'
assay.db: 0 findings added to 'new.db'
$ assay findings merge assay.db --db new.db --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["merged"])'
[{'db': 'assay.db', 'added': 0}]
$ ASSAY_DB=new.db assay findings | tail -1
5 findings in 4 clusters; 'assay findings show ID' shows one in full, --all lists each

# ---- with SQL, as docs/findings.md shows
$ python3 -c '
> import sqlite3
> db = sqlite3.connect("assay.db")
> print(db.execute("SELECT cluster, findings, op FROM clusters").fetchall())
> print([n for n, in db.execute("SELECT name FROM files WHERE finding = 1 ORDER BY name")])'
[(3, 3, 'AveragePool'), (4, 1, ''), (5, 1, 'Einsum')]
['expected.npz', 'inputs.npz', 'model.onnx', 'reduced_expected.npz', 'reduced_inputs.npz', 'reduced_model.onnx']

# ---- what is wrong says so
$ assay findings show 99
? 2
! there is no finding 99 in 'assay.db'

$ assay findings show one
? 2
! 'one' is not the number of a finding; 'assay findings' lists them

$ assay findings show
? 2
! findings show needs the number of one finding

$ assay findings frobnicate
? 2
! findings has no 'frobnicate'; see 'assay help findings'

$ assay findings --verdict purple
? 2
! --verdict: 'purple' is not agree, rounding, vacuous

$ assay findings merge
? 2
! findings merge needs the path of another store

$ assay findings merge nothing.db
? 2
! there is no store of findings 'nothing.db'

$ echo 'a text that is long enough not to be taken for a file that has not been written yet' >text.db
$ assay findings --db text.db
? 2
! cannot open 'text.db': it is not a store of findings
$ python3 -c 'import sqlite3; sqlite3.connect("foreign.db").executescript("CREATE TABLE t (x)")'
$ assay findings --db foreign.db
? 2
! 'foreign.db' is a database of another program, no store of findings
$ head -c 8192 assay.db >cut.db && assay findings --db cut.db
? 2
! cannot open 'cut.db': the file is damaged

# ---- completion knows the subcommands, and the findings that are there
$ assay --complete findings | head -4 | cut -f1
list
show
export
merge
$ assay --complete findings show | head -2
1	toylib 1.2.0 gives wrong numbers
2	toylib 1.2.0 gives wrong numbers
$ ASSAY_DB=nothing.db assay --complete findings show | head -1 | cut -f1
--db
