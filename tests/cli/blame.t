# What is told of a finding does not contradict itself, and can be run as it is printed.
$ ln -s "$SRC/tests/fixtures" f
$ assay zoo get lenet5 -o lenet5.onnx >/dev/null

# ---- repro lines name the store
$ assay check lenet5.onnx -b fault:relu6 --db 'my store.db' >out
? 1
$ grep '^repro' out
repro: assay replay 1 --db 'my store.db'
$ eval "$(sed -n 's/^repro: //p' out)" >/dev/null
? 1
$ assay swap lenet5.onnx -b reference,fault:relu6 --db s.db | grep repro
       repro: assay replay 1 --db s.db
$ assay search lenet5.onnx -b reference,fault:relu6 --level input --cases 2 --db r.db --no-localize | grep -m1 ^repro
repro: assay replay 1 --db r.db

# … and so it is of a single call
$ assay equiv -b ort --plant --rule 7 --api Relu --inputs 4 --db call.db >/dev/null
? 1
$ assay report --db call.db --html call.html --junit call.xml --sarif call.sarif
$ grep -c 'assay replay 1 --db call.db' call.html call.xml call.sarif
call.html:1
call.xml:1
call.sarif:1

# ---- what came stands beside what is right, in the text and on the page
$ assay findings show 1 --db 'my store.db' | sed -n '/what the library returned/,/expected/p'
  what the library returned
    ...: float32[...]
      element ...: got ..., expected ...
$ assay report --db 'my store.db' --html page.html; grep -c '<td>got</td>' page.html
1

# ---- nodes that are wrong only together are a set, with the switch that decides, everywhere
$ assay check f/fusible/bert.onnx -b ort@1.20.1 --db set.db >out
? 1
$ sed -n '/blamed$/,/^repro/p' out
ort@1.20.1: blamed
  together: ...; each alone is right, together they are off by ... times the noise
  decided by the library's own switch: optimizer LayerNormFusionL2 and SimplifiedLayerNormFusion
  finding 1: onnxruntime/Add+Div+Mul+Pow+ReduceMean+Sqrt/wrong/...
repro: assay replay 1 --db set.db
$ assay findings show 1 --db set.db | head -2
Finding 1: onnxruntime 1.20.1 gives wrong numbers at Pow + ReduceMean + Add + Sqrt + Div + Mul,
decided by optimizer LayerNormFusionL2 and SimplifiedLayerNormFusion
$ assay report --db set.db --html set.html; grep -c 'only together</dt><dd>Pow + ReduceMean + Add + Sqrt + Div + Mul, decided by' set.html
1
$ grep -c 'what is wrong only where nodes are fused does not show in it</figcaption>' set.html
1
# The page says which numbers are of the smallest model and which are of the first one.
$ grep -c '<p class="detail">In the model as it was found: ' set.html
1
$ grep -c '<dt>first_signature' set.html
? 1
0


# ---- the blamers that are asked for, and those alone
$ assay check lenet5.onnx -b fault:kernel_mirrored@conv2 --blame causal --no-store --json | python3 -c '
> import json, sys
> for b in json.load(sys.stdin)["blame"]: print(b["node"], b["op"], b["noise_ratio"], b["rate"] > 1000)'
conv2 Conv None True
$ assay check lenet5.onnx -b fault:kernel_mirrored@conv2 --blame nobody
? 2
! assay: --blame: 'nobody' is not map, isolated, causal or swap
