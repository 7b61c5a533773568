# assay extract: operations and recurring subgraphs of models, as a corpus that other verbs take.
$ assay extract lenet5 resnet20 -o corpus --nodes 3 | sed -n '1,4p;/recurring/p'
operation           reads                               uses  models
Relu                f32.4d                                21       2
BatchNormalization  f32.4d,f32.1d,f32.1d,f32.1d,f32.1d    21       1
Conv                f32.4d,f32.4d                         17       1
... operations and ... recurring subgraphs of 2 models: ... cases in 'corpus'

$ ls corpus/corpus/0001-Relu corpus/corpus/0001-Relu/test_data_set_0
corpus/corpus/0001-Relu:
expected.npz
inputs.npz
model.onnx
test_data_set_0

corpus/corpus/0001-Relu/test_data_set_0:
input_0.pb
output_0.pb

# The index tells of each case where it comes from, how often it is used and what values it reads.
$ python3 -c '
> import json
> index = json.load(open("corpus/index.json"))
> relu = index["cases"][0]
> print(index["schema"], relu["kind"], relu["file"], relu["count"], relu["uses"])
> print(relu["inputs"][0]["word"], relu["inputs"][0]["range"]["min"] < 0 < relu["inputs"][0]["range"]["max"])
> chains = [c for c in index["cases"] if c["kind"] == "subgraph"]
> print(all(2 <= len(c["nodes"]) <= 3 and c["count"] > 1 for c in chains), len(chains) > 5)
> print(sum(c["count"] for c in index["cases"] if c["kind"] == "operation") == sum(m["nodes"] for m in index["models"]))'
assay/1 operation corpus/0001-Relu/model.onnx 21 [{'model': 'lenet5', 'count': 2}, {'model': 'resnet20', 'count': 19}]
f32.4d True
True True
True

# The same seed gives the same bytes.
$ assay extract lenet5 resnet20 -o again --nodes 3 >/dev/null && diff -r corpus again && echo same
same

# conform, check, swap and fuzz take it; a case's folder brings its own inputs.
$ assay conform corpus -b reference,ort | grep passed
reference: ... cases: ... passed (0 not exactly), 0 failed, 0 unsupported
ort: ... cases: ... passed (... not exactly), 0 failed, 0 unsupported

$ assay check corpus/corpus/0001-Relu corpus/corpus/0003-Conv --no-store | grep '^corpus.* ort'
corpus/corpus/0001-Relu  ort        agree...
corpus/corpus/0003-Conv  ort        ...

$ assay check corpus/corpus/0001-Relu --expect corpus/corpus/0001-Relu --no-store >/dev/null

$ assay check corpus/corpus/0001-Relu --expect corpus/corpus/0001-Relu --random 1 --no-store >/dev/null
? 1

$ rm -r corpus/corpus/0001-Relu/test_data_set_0; assay check corpus/corpus/0001-Relu --expect corpus/corpus/0001-Relu/expected.npz --no-store >/dev/null

$ assay check corpus --no-store
? 2
! 'corpus' is a folder without a model.onnx

$ assay swap corpus/corpus/0003-Conv -b reference,ort --no-store | head -1
corpus/corpus/0003-Conv: 1 operators from reference to ort: ...

$ assay fuzz -i corpus --models 5 -b ort --no-store --json | python3 -c '
> import json, sys
> index = json.load(open("corpus/index.json"))
> print(json.load(sys.stdin)["models"] - 5 == sum(c["file"] is not None for c in index["cases"]))'
True

# What is too large has its ranges only, and that is said.
$ assay extract lenet5 -o small --max-bytes 1000 --json | tr -d '\n '; echo
{"schema":"assay/1","folder":"small","operations":...,"subgraphs":...,"cases":...,"too_large":...,"without_case":0,"subgraphs_left_out":0,"failed_models":0}

$ python3 -c '
> import json
> cut = [c for c in json.load(open("small/index.json"))["cases"] if c["file"] is None]
> print(len(cut) > 3, all("more than --max-bytes 1000" in c["left_out"] and c["inputs"][0]["range"]["max"] > 0 for c in cut))'
True True

# A model that cannot be used does not keep the others from it.
$ echo nonsense >bad.onnx; assay extract bad.onnx lenet5 -o mixed | tail -1
... recurring subgraphs of 1 model: ... cases in 'mixed'

$ assay extract bad.onnx lenet5 -o mixed2 >/dev/null
? 2
! bad.onnx

$ assay extract bad.onnx -o none
? 2
! bad.onnx

$ assay extract lenet5 -o corpus
? 2
! 'corpus/corpus' is there already; a corpus needs a folder of its own

$ assay extract lenet5
? 2
! extract needs -o DIR

$ assay extract -o none
? 2
! extract needs at least one model

$ assay extract lenet5 -o none --nodes 9
? 2
! --nodes takes 1 to 8

# ---- findings, reports and conform in the order of use
$ "$(dirname "$ASSAY")/tests/make_store" assay.db && "$(dirname "$ASSAY")/tests/make_store" other.db other

$ assay zoo get gru -o gru.onnx >/dev/null && assay extract gru.onnx lenet5 -o use >/dev/null; assay findings --usage use/index.json
id  findings  verdict  ratio  nodes  operator          backend         class                    uses
 4         1  crash        -      1  (Relu)            other (0.9)     f32.2d                      4
 5         1  wrong      inf      1  Einsum, gradient  other (0.9)     f32.2d*                     0
 3         3  wrong    1e+07      1  AveragePool       toy@1.2.1:fast  f32.4d,ceil_mode=1,ker…     0
5 findings in 3 clusters; 'assay findings show ID' shows one in full, --all lists each

$ assay findings --usage use/index.json --json | python3 -c '
> import json, sys
> print([c["uses"] > 0 for c in json.load(sys.stdin)["clusters"]])'
[True, False, False]

$ assay report --usage use/index.json --json | python3 -c '
> import json, sys
> print([(c["id"], c["use"]["nodes"] > 0) for c in json.load(sys.stdin)["clusters"]])'
[(4, True), (5, False), (3, False)]

$ assay report --usage use/index.json --html - | grep -c '<dt>used by</dt>'
3

$ assay findings --usage bad.onnx
? 2
! 'bad.onnx' is not JSON

$ assay conform "$SRC/tests/fixtures/conform" --usage use/index.json | grep -v '^[0-9]'
unsupported: 0 uses: other/test_unknown: ...
failed: 0 uses: other/test_wrong_value: output 'y' element 3 is 2.5, expected 2.75
backend     given     ran  judged  unsupported  vacuous  unjudged
reference       4       3       3            1        0         0
