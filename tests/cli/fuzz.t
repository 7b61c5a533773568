# assay fuzz: random models, guided by coverage.  The reference as backend: every case is valid, none is wrong.
$ assay fuzz -b reference --models 40 --blocks 6 --seed 5 --no-store
40 models in ...
coverage: OLC ...
status: not loaded (MCF) 0, not run (IF) 0, wrong (DCF) 0, right (DCP) 40; unsupported 0, flaky 0, ours 0
findings: 0, stored 0, new 0; triage took 0 % of the time
backend     given     ran  judged  unsupported  vacuous  unjudged
reference      40      40 ...            0 ...         0
vacuous: it agrees, but that proves little: ...

# The same seed gives the same models, byte for byte, for any number of jobs.
$ assay fuzz -b reference --models 12 --blocks 5 --seed 9 --no-store -o one --keep-all >/dev/null
$ assay fuzz -b reference --models 12 --blocks 5 --seed 9 --no-store -o three --keep-all --jobs 3 >/dev/null
$ ls one/models | wc -l
12
$ diff -r one three && echo the same
the same
$ ls one/corpus/00000000
coverage.txt
expected.npz
inputs.npz
model.onnx

# Another run starts from that corpus: its cases are run, and what they cover is not new.
$ assay fuzz -b reference --models 3 --blocks 5 --seed 10 --no-store -i one
15 models in ...
coverage: OLC ...
status: not loaded (MCF) 0, not run (IF) 0, wrong (DCF) 0, right (DCP) 15; unsupported 0, flaky 0, ours 0
findings: 0, stored 0, new 0; triage took 0 % of the time
...

# The end of the time is the end of that corpus too, and what was left of it is told.
$ assay fuzz -b reference --time 0.0001s --blocks 5 --seed 10 --no-store -i one | grep "not run:"
12 cases of 'one' were not run: the end came first

# NaN and infinities among the inputs, in models of any opset that the backend has.
$ assay fuzz -b reference --models 60 --blocks 6 --seed 3 --no-store --special --corpus large --opset 19
60 models in ...
coverage: OLC ...
status: not loaded (MCF) 0, not run (IF) 0, wrong (DCF) 0, right (DCP) 60; unsupported 0, flaky 0, ours 0
special: reference was judged on ... cases with NaN, ... with an infinity, ... with a divisor of 0, ... with an end of an integer type
findings: 0, stored 0, new 0; triage took 0 % of the time
...
$ assay fuzz -b reference --models 60 --seed 3 --no-store --special --corpus large --json | python3 -c '
> import json, sys
> d = json.load(sys.stdin)
> held = d["special"]["reference"]
> print(sorted(held), all(0 <= n <= d["counts"]["reference"]["judged"] for n in held.values()), held["nan"] > 0)'
['infinity', 'integer_end', 'nan', 'zero_divisor'] True True

# A range of old opsets.
$ assay fuzz -b reference --models 60 --blocks 4 --seed 4 --no-store --corpus large --opset 7-10
60 models in ...
coverage: OLC ...
status: not loaded (MCF) 0, not run (IF) 0, wrong (DCF) 0, right (DCP) 60; unsupported 0, flaky 0, ours 0
findings: 0, stored 0, new 0; triage took 0 % of the time
...

# A backend in the reference's place is the first one, and the paper's oracle decides: every model runs on both.
$ assay fuzz -b fault:relu6 --reference reference --models 20 --blocks 6 --seed 1 --no-store --json >out.json
? 1
$ python3 -c '
> import json
> d = json.load(open("out.json"))
> print(sum(d["status"][k] for k in ("mcf", "if", "dcf", "dcp")) == 40, d["status"]["dcf"] > 0)'
True True

# The paper's own oracle: rounding alone can fool it, so fewer are findings than differ.
$ assay fuzz -b fault:relu6 --models 60 --blocks 6 --seed 2 --oracle gbft --no-store --json >out.json
? 1
$ python3 -c '
> import json
> d = json.load(open("out.json"))
> print(d["status"]["dcf"] > 0, d["seen"] <= d["status"]["dcf"])'
True True

# A planted fault is found, reduced to the operator, and counted as the paper counts.
$ assay fuzz -b fault:relu6 --models 60 --blocks 6 --seed 2 --json >out.json
? 1
$ python3 -c '
> import json
> d = json.load(open("out.json"))
> print(d["models"], d["status"]["dcf"] > 0, d["status"]["mcf"], sorted(d["coverage"]))
> print({f["op"] for f in d["findings"]}, min(f["nodes"] for f in d["findings"]), d["stored"] == len(d["findings"]))'
60 True 0 ['idc', 'odc', 'olc', 'otc', 'sec', 'spc']
{'Relu'} 1 True

# Without a store findings are counted and told by their looks.
$ assay fuzz -b fault:relu6 --models 60 --blocks 6 --seed 2 --no-store | grep -A1 '^nothing is stored'
nothing is stored, so none was confirmed, proven or reduced; kinds of failures:
  fault:relu6: wrong, in a model that ends with (last first) ...

# Counts are the same for any number of jobs, and for a campaign that was stopped and goes on; the exit status tells of
# all that it found, wherever it was stopped.
$ assay fuzz -b reference,fault:relu6 --models 600 --blocks 5 --seed 4 --no-store | grep -A2 ^backend >once
$ for i in 1 2 3; do timeout -s INT 0.7 assay fuzz -b reference,fault:relu6 --models 600 --blocks 5 --seed 4 --db stopped.db --no-reduce --jobs 2 >part; done; assay fuzz -b reference,fault:relu6 --models 600 --blocks 5 --seed 4 --db stopped.db --no-reduce --jobs 2 >last
? 1
$ grep -A2 ^backend last | diff once - && grep -c '^reference  *600 ' last
1

# A backend that nothing was judged on: no model at all, and models whose outputs are all equal.
$ assay fuzz -b reference --time 0.0001s --no-store >/dev/null
? 4
! assay: warning: reference was judged on nothing: 0 cases given
$ printf 'operators:\n  - {name: Fill, sample: fill}\n' >fill.yaml
$ assay fuzz -b reference --corpus fill.yaml --models 10 --blocks 1 --no-store --json | python3 -c '
> import json, sys
> print(json.load(sys.stdin)["counts"])'
{'reference': {'given': 10, 'ran': 10, 'judged': 0, 'unsupported': 0, 'vacuous': 10, 'unjudged': 0, 'explained': 0, 'judged_on_nothing': True}}

# A share of the time is for rules on single operators, where the library reads ONNX; not of a number of models.
$ assay fuzz -b ort --time 4s --share 50 --blocks 2 --no-reduce --db rules.db >out; grep ^rules out
rules, 50 % of the time: ... pairs of single operators, ... inputs, ... findings
$ assay fuzz -b ort --time 2s --share 0 --blocks 2 --no-reduce --db rules.db >out; grep ^rules out
? 1
$ assay fuzz -b ort --models 2 --blocks 2 --no-store | grep ^rules
? 1
$ assay fuzz -b ort --share 100
? 2
! assay: --share takes a percentage below 100

# Subgraphs of networks are blocks, too: with two operators only a chain of these is left, drawn with other neighbours,
# shapes and attributes.  The same seed gives the same models, for any number of jobs.
$ assay extract lenet5 resnet20 -o cut >/dev/null
$ printf 'operators:\n  - {name: Relu}\n  - {name: Largest, sample: MaxPool}\n' >two.yaml
$ assay fuzz -b reference --corpus two.yaml --subgraphs --models 20 --no-store
? 2
! assay: --subgraphs: the corpus has none that these backends can be given
$ assay fuzz -b reference --corpus two.yaml --seeds cut --subgraphs --no-mutations --models 20 --no-store -o seeded --keep-all | head -1
20 models in ...
$ grep -L MaxPool seeded/models/*.onnx | wc -l; grep -L Relu seeded/models/*.onnx | wc -l
0
0
$ assay fuzz -b reference --corpus large --seeds cut --subgraphs --models 60 --seed 4 --no-store -o one-job --keep-all | grep ^status
status: not loaded (MCF) 0, not run (IF) 0, wrong (DCF) 0, right (DCP) 60; unsupported 0, flaky 0, ours 0
$ assay fuzz -b reference --corpus large --seeds cut --subgraphs --models 60 --seed 4 --no-store -o two-jobs --keep-all --jobs 2 >/dev/null
$ diff -r one-job two-jobs && test $(cmp -l one-job/models/00000000.onnx one-job/models/00000001.onnx | wc -l) -gt 0 && echo the same
the same
$ mkdir -p bare/corpus && assay fuzz -b reference --seeds bare --models 1 --no-store
? 2
! assay: 'bare' has no subgraph of 2 to 12 operators that are all blocks of the corpus

# What it cannot do.
$ assay fuzz --search luck
? 2
! assay: --search: 'luck' is not mcts, random, filled, paper or paper-random
$ assay fuzz --blocks 31
? 2
! assay: --blocks takes 1 to 30
$ assay fuzz --oracle nobody
? 2
! assay: --oracle: 'nobody' is not rounding, cradle, audee, eagle, meta or gbft
$ assay fuzz -b ort --models 5 --no-store --lines count
? 2
! assay: --lines: 'ort' does not tell lines of its code; libraries in Python do

$ assay fuzz --lines reward --jobs 2
? 2
! assay: --lines takes one job, and no --fusions

$ assay fuzz --fusions --jobs 2
? 2
! assay: --fusions takes one job: cases depend on what came of those before
$ assay fuzz --opset 6
? 2
! assay: --opset takes 7 to 28, or a range of them, 9-13 say
$ assay fuzz -b reference -i nowhere --models 1 --no-store
? 2
! assay: cannot read 'nowhere/corpus': No such file or directory; 'assay fuzz -o DIR' and 'assay extract -o DIR' write such a folder
$ assay fuzz --keep-all
? 2
! assay: --keep-all needs -o DIR
$ assay fuzz --corpus nowhere.yaml --models 1 --no-store
? 2
! assay: --corpus: there is no file 'nowhere.yaml'
