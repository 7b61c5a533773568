# JSON for programs: every document has a version, and the pages name its members.
$ cat >look.py <<'END'
> import json, re, sys
> pages = "".join(open(f"{sys.argv[1]}/docs/{name}.md").read() for name in ("command-line", "findings", "precision"))
> known = set(re.findall(r'["`](\w+)["`]', pages))
> all = json.load(sys.stdin)
> for one in all if isinstance(all, list) else [all]:
>     assert list(one.items())[0] == ("schema", "assay/1"), list(one.items())[0]
>     if set(one) - known: print("not on the page:", *sorted(set(one) - known))
> END

$ assay zoo get mlp >/dev/null

$ for words in "run mlp.onnx" "run mlp.onnx --mode noisy --all" "ops Relu" "ops Relu --attributes" "faults relu6" "zoo list" \
>         "zoo get mlp" "lint mlp.onnx" "backends list" "check lenet5 -b reference,fault:relu6" \
>         "check lenet5 mlp -b reference,fault:relu6" "gate lenet5 -b reference --baseline reference" \
>         "findings" "findings show 1" "report" "replay 1" "reduce 1 --time 5s" \
>         "swap mlp -b reference,fault:relu6" "fuzz -b reference --models 2 --no-store" \
>         "search mlp -b reference,fault:relu6 --cases 2 --no-store" "equiv -b ort --api Relu --inputs 2 --no-store"
> do
>     assay $words --json 2>/dev/null >out.json
>     python3 look.py $SRC <out.json || echo "$words"
> done

$ assay conform $SRC/tests/fixtures/conform --json | python3 look.py $SRC
$ assay backends doctor ort --json | python3 look.py $SRC
$ assay bisect 1 --installed --json 2>/dev/null >out.json; test ! -s out.json || python3 look.py $SRC <out.json

# Files are documents as well.
$ assay findings export 1 -o folder >/dev/null && python3 -c 'import json; print(json.load(open("folder/finding.json"))["schema"])'
assay/1
