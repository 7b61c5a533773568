# assay zoo: networks that assay builds itself.
$ assay zoo | sed -n '1p;3p'
lenet5              13 nodes  LeNet-5 on 28 x 28 digits, trained
vgg16               36 nodes  VGG-16 on 32 x 32 images

$ assay zoo | grep digits8_separable
digits8_separable   10 nodes  a separable convolution on 8 x 8 digits, trained

$ assay zoo list --json | python3 -c '
> import json, sys
> networks = json.load(sys.stdin)["networks"]
> print(sum(n["seed"] for n in networks), sum(n["trained"] for n in networks) >= 3)'
7 True

$ assay zoo get gru -o gru.onnx --batch 2
gru.onnx: 6 nodes, random weights

$ assay run gru.onnx -b ort | grep -c "probabilities: float32\[2,2\]"
1

$ assay zoo get lenet5 --json | tr -d '\n'
{ "schema": "assay/1", "network": "lenet5", "trained": true, "nodes": 13}

$ assay zoo get lenet5 --random --json | tr -d '\n'
{ "schema": "assay/1", "network": "lenet5", "trained": false, "nodes": 13}

$ assay zoo get gru -o gru9.onnx --batch 2 --opset 9
gru9.onnx: 7 nodes, random weights

$ assay check gru9.onnx -b ort --random 1 --no-store | grep -c "ort .*\(agree\|rounding\)"
1

$ assay zoo fill gru9.onnx -o filled.onnx
? 2
! assay: 'gru9.onnx' has no weights that are one number

$ assay zoo fill gru9.onnx
? 2
! assay: zoo fill needs -o FILE

$ assay zoo get transformer --opset 9
? 2
! assay: network 'transformer' can be built in opset 17 to 17, not 9

$ assay zoo get alexnet
? 2
! assay: no network 'alexnet'; 'assay zoo list' shows those there are

$ assay zoo train resnet20
? 2
! assay: network 'resnet20' has no data to be trained on

$ assay zoo train mlp --data /dev/null
? 2
! assay: '/dev/null' is empty

$ assay zoo get mlp --batch 0
? 2
! assay: --batch takes 1 to 4096

$ assay zoo grow
? 2
! assay: zoo has no 'grow'; see 'assay help zoo'

# The data that a network was trained on, with what is right: those held out first.
$ assay zoo data cancer_mlp -o cancer
cancer/inputs.npy, cancer/labels.npy: 569 items of 'cancer' (scikit-learn), the first 120 held out

$ assay check cancer_mlp -b reference,ort --data cancer/inputs.npy --labels cancer/labels.npy --limit 60 --no-store --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["tasks"], r["inputs"], r["pairs"][0]["max_d_class"], r["verdict"])'
['binary'] 60 0.0 rounding

$ assay zoo data diabetes_mlp --json | tr -d '\n'
{ "schema": "assay/1", "network": "diabetes_mlp", "dataset": "diabetes", "package": "scikit-learn", "items": 442, "held_out": 90, "inputs": "diabetes_mlp/inputs.npy", "targets": "diabetes_mlp/targets.npy"}

$ assay zoo data vgg16
? 2
! assay: network 'vgg16' has no data to be trained on

$ printf 'a,b\n1,2,0\n' >few.csv; assay zoo data iris_mlp --data few.csv
? 2
! assay: items of 'iris' have 2 numbers, network 'iris_mlp' takes 4
