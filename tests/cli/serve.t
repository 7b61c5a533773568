# assay serve: what it refuses.  tests/report/serve.py and serve_hostile.py have it running.
$ assay serve
? 2
! there is no store of findings 'assay.db'

$ "$(dirname "$ASSAY")/tests/make_store" assay.db

$ assay serve something
? 2
! 'something' is not the folder of a campaign

# The folder of a campaign: one that is none, with a state that makes no sense, and one that is.
$ mkdir night.campaign; assay serve night.campaign
? 2
! 'night.campaign' is not the folder of a campaign: there is no state.json in it
$ echo '{"version": 1' >night.campaign/state.json; assay serve night.campaign
? 2
! cannot read 'night.campaign/state.json': ...
$ echo '{"version": 1, "lines": [{"method": "fuzz", "backend": "ort", "share": 1}], "tasks": [{"state": "done", "line": 1}]}' >night.campaign/state.json; assay serve night.campaign
? 2
! 'night.campaign/state.json': task 0 makes no sense
$ assay serve night.campaign other.campaign
? 2
! serve takes one folder, got 'other.campaign' as well
$ assay serve night.campaign --db assay.db
? 2
! the store of 'night.campaign' is in it: --db is for other stores
$ rm -r night.campaign; printf 'time: 1h\nmethods:\n  - {method: check, backends: ["fault:bias_dropped"], models: [one.onnx]}\n' >night.yaml; assay zoo get lenet5 -o one.onnx >/dev/null; assay campaign night.yaml >/dev/null
? 1
! task 0: check fault:bias_dropped, seed 0, shard 1/1: done in ...
$ (assay serve night.campaign --port 0 >said & n=$!; while ! grep -q http said && kill -0 $n; do sleep 0.1; done; python3 - $(sed 's/.*:\([0-9]*\)\/.*/\1/' said) <<'X'
> import json, sys, urllib.request
> c = json.load(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/api/campaign"))
> print(c["running"], c["time"], [(x["method"], x["backend"], x["tasks"]["done"]) for x in c["lines"]], c["counts"]["fault:bias_dropped"]["given"])
> page = urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/").read().decode()
> print("Not running" in page, "/finding/1" in page)
> X
> kill $n; wait $n); rm said
False 3600.0 [('check', 'fault:bias_dropped', 1)] 1
True True

$ assay serve --listen example.org
? 2
! --listen: 'example.org' is not an address in digits

$ assay serve --port 70000
? 2
! --port takes 0 to 65535

$ printf 'short\n' >token; assay serve --token-file token
? 2
! 'token': the token has 5 characters; it needs 16 to 256

$ printf 'has a blank and is long\n' >token; assay serve --token-file token
? 2
! the token may have letters, digits and -_.~ only

$ assay serve --token-file nowhere
? 2
! nowhere

$ assay serve --usage token
? 2
! 'token' is not JSON

# It ends when it is told to, and says where it is.
$ (assay serve --port 0 >said & n=$!; while ! grep -q http said && kill -0 $n; do sleep 0.1; done; kill $n; wait $n; echo $?); sed 's/:[0-9][0-9]*\//:PORT\//' said
0
'assay.db' is at http://127.0.0.1:PORT/; Ctrl-C ends

# A token that was given is not printed; one of its own is.
$ printf '0123456789abcdef\n' >token; rm said; (assay serve --port 0 --token-file token >said & n=$!; while ! grep -q http said && kill -0 $n; do sleep 0.1; done; kill $n; wait $n); grep -c 0123456789 said
? 1
0

$ rm said; (assay serve --port 0 --listen 0.0.0.0 >said & n=$!; while ! grep -q http said && kill -0 $n; do sleep 0.1; done; kill $n; wait $n); grep -c '0.0.0.0:[0-9]*/?token=[0-9a-f]\{32\};' said
1
