# What the reference cannot run is run all the same, and a run that judged nothing is not green.
$ python3 - <<'END'
> def field(n, data): return bytes([n << 3 | 2, len(data) & 127 | 128, len(data) >> 7]) + data
> def number(n, x): return bytes([n << 3, x])
> def value(name, dims):
>     return field(1, name) + field(2, field(1, number(1, 1) + field(2, b"".join(field(1, number(1, d)) for d in dims))))
> def model(op, domain, inputs, output):
>     node = b"".join(field(1, name) for name, _ in inputs) + field(2, b"y") + field(3, b"n") + field(4, op) + field(7, domain)
>     graph = field(1, node) + field(2, b"g") + b"".join(field(11, value(*i)) for i in inputs) + field(12, value(b"y", output))
>     opsets = field(8, field(1, b"") + number(2, 17)) + (field(8, field(1, domain) + number(2, 1)) if domain else b"")
>     return number(1, 8) + field(7, graph) + opsets
> open("odd.onnx", "wb").write(model(b"Odd", b"com.example", [(b"x", [2, 3])], [2, 3]))
> open("cdist.onnx", "wb").write(model(b"CDist", b"com.microsoft", [(b"a", [2, 3]), (b"b", [4, 3])], [2, 4]))
> for op in "relu", "identity":
>     open(op + ".onnx", "wb").write(model(op.title().encode(), b"", [(b"x", [2, 3])], [2, 3]))
> END

# A library that runs anything: what it gives says its argument.
$ cat >any.py <<'END'
> import math, os, random, sys, time
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Rejected, Tensor, serve
> from example_worker import Session
>
> class Any:
>     library = "any"
>     def open(self, folder, options): return "1.0"
>     def load(self, model, options, outputs): return Session(model)
>     def outputs(self, session): return session.outputs
>     def run(self, session, inputs, names):
>         how = sys.argv[1]
>         if how == "dies" or how == "picky" and session.nodes[0].op == "Odd": os.abort()
>         if how == "hangs": time.sleep(60)
>         if how == "refuses": raise Rejected("not in the mood")
>         if how == "chance": return [Tensor.of("float32", [2, 4], [100 * random.random() for i in range(8)])]
>         if how == "far": return [Tensor.of("float32", [2, 4], [9.0] * 8)]
>         x = list(inputs.values())[0]
>         return [Tensor.of(x.dtype, x.shape, [math.nan] + x.numbers()[1:] if how == "nan" else x.numbers())]
>
> serve(Any())
> END

# Run, and said so in so many words.
$ assay check odd.onnx -b "reference,exec:python3 any.py same"
? 4
! assay: warning: reference was judged on nothing: 1 case given, none ran, 1 unsupported
! assay: warning: exec:python3 any.py same was judged on nothing: 1 case given, 1 unjudged
odd.onnx: 1 node, 1 run of ... inputs: unjudged
  backend                   verdict      noise ratio  load + run
  reference                 unsupported            -  ...
    unsupported: odd.onnx: node 'n': operator Odd of domain 'com.example' is not known
  exec:python3 any.py same  unjudged               -  ...
    ran; nothing to judge it by: the reference does not have com.example/Odd
extraction ...
backend                    given     ran  judged  unsupported  vacuous  unjudged
reference                      1       0       0            1        0         0
exec:python3 any.py same       1       1       0            0        0         1
unjudged: there is nothing to judge it by

$ assay check odd.onnx -b "exec:python3 any.py same" --json --random 20 --no-store | python3 -c '
> import json, sys
> b = json.load(sys.stdin)["backend_verdicts"][0]
> print(b["verdict"], b["judged"], b["suspicious"], b["counts"])'
unjudged 0 0 {'given': 20, 'ran': 20, 'judged': 0, 'unsupported': 0, 'vacuous': 0, 'unjudged': 20, 'explained': 0, 'judged_on_nothing': True}

# NaN out of numbers is suspicious, and no more than that.
$ assay check odd.onnx -b "exec:python3 any.py nan" --no-store
? 4
odd.onnx: 1 node, 1 run of ... inputs: unjudged
...
    suspicious: output 'y': element 0 is NaN though all inputs are finite; nothing to judge it by:
    the reference does not have com.example/Odd
...

# A refusal says nothing: nobody knows whether the model is valid.
$ assay check odd.onnx -b "exec:python3 any.py refuses" --no-store | sed -n 1,5p
odd.onnx: 1 node, 1 run of ... inputs: unjudged
  backend                      verdict      noise ratio  load + run
  exec:python3 any.py refuses  unjudged ...
    rejected: not in the mood; nothing says that it should run it: the reference does not have
    com.example/Odd

# What happens to a process is a finding without any right answer, is kept, and shows again.
$ assay check odd.onnx -b "exec:python3 any.py dies"
? 1
! is not localized: odd.onnx: node 'n': operator Odd of domain 'com.example' is not known
odd.onnx: 1 node, 1 run of ... inputs: crash
...
  finding 1: any/...crash...
repro: assay replay 1 -b 'exec:python3 any.py dies'
...
backend                    given     ran  judged  unsupported  vacuous  unjudged
exec:python3 any.py dies       1       0       1            0        0         0
$ assay findings show 1 | head -1
Finding 1: any 1.0 crashes...

$ eval "$(assay findings show 1 | sed -n 's/^  repro: //p')"
? 1
...crash...
...

$ assay check odd.onnx -b "exec:python3 any.py hangs" --timeout 1 --no-store | head -1
odd.onnx: 1 node, 1 run of ... inputs: hang

# Two libraries that differ beyond any tolerance: both are named, none is blamed.
$ assay check cdist.onnx -b "ort,exec:python3 any.py far" --no-store
? 1
cdist.onnx: 1 node, 1 run of ... inputs: unjudged
...
  ort and exec:python3 any.py far differ from each other on input 0: output 'y': element ... is
    ... and 9; neither is blamed: there is nothing to judge them by
...

# An answer that is another one each time is no difference.
$ assay check cdist.onnx -b "ort,exec:python3 any.py chance" --no-store --json | python3 -c '
> import json, sys
> print(json.load(sys.stdin)["differences"])'
[]

# A library is held against itself with its optimizer off; that both agree is still nothing to judge them by.
$ assay check cdist.onnx -b ort --no-store | sed -n 4,5p
    ran; nothing to judge it by: the reference does not have com.microsoft/CDist; ort:O0 gives no
    other answer

$ assay check cdist.onnx -b ort,ort:O0 --no-store
? 4
cdist.onnx: 1 node, 1 run of ... inputs: unjudged
...
0 of 1 pair inconsistent...
...

# swap has nothing to hold operators against; both libraries run the network whole.
$ assay swap cdist.onnx -b ort,ort:O0 --no-store
? 4
! assay: warning: ort:O0 was judged on nothing: 1 case given, 1 unjudged
cdist.onnx: ort and ort:O0 whole, for the reference cannot run its operators: unjudged
  ort: unjudged
    ran; nothing to judge it by: the reference does not have com.microsoft/CDist
  ort:O0: unjudged
    ran; nothing to judge it by: the reference does not have com.microsoft/CDist
...

$ assay swap cdist.onnx -b "ort,exec:python3 any.py far" --no-store | grep differ
  ort and exec:python3 any.py far differ from each other: output 'y': element ... is ... and 9; neither is blamed

$ assay swap cdist.onnx -b "ort,exec:python3 any.py chance" --no-store | grep -c differ
? 1
0

$ assay swap odd.onnx -b "ort,exec:python3 any.py dies" --no-store | sed -n '1p;5,6p'
odd.onnx: ort and exec:python3 any.py dies whole, for the reference cannot run its operators: crash
  exec:python3 any.py dies: crash
    ...

$ assay swap cdist.onnx -b "ort,exec:python3 any.py far" --no-store --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["verdict"], r["backend_verdict"], r["ops"], r["counts"]["ort"]["unjudged"])'
unjudged unjudged [] 1

# search, too, runs a seed that the reference cannot, and says how much of it nobody judged.
$ assay search odd.onnx -b "reference,exec:python3 any.py same" --level input --cases 3 --bases 1 --no-store
? 4
odd.onnx: 1 node
  level     cases ...
  input         3 ...
  incons.: libraries name other classes; far: ...
0 failures, 0 findings recorded
backend                    given     ran  judged  unsupported  vacuous  unjudged
reference                      3       0       0            3        0         0
exec:python3 any.py same       3       3       0            0        0         3
unjudged: there is nothing to judge it by

# fuzz starts from cases of others, which the reference may not know.
$ mkdir -p start/corpus/00000000 && cp odd.onnx start/corpus/00000000/model.onnx && : >start/corpus/00000000/coverage.txt && python3 -c '
> import struct, zipfile
> head = b"{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3), }".replace(b"\"", b"\x27").ljust(117) + b"\n"
> npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<6f", *range(6))
> zipfile.ZipFile("start/corpus/00000000/inputs.npz", "w").writestr("x.npy", npy)'
$ printf 'operators:\n  - {name: Identity}\n' >identity.yaml
$ assay fuzz -b "exec:python3 any.py same" -i start --corpus identity.yaml --models 1 --blocks 1 --opset 21 --no-store | tail -3
backend                    given     ran  judged  unsupported  vacuous  unjudged
exec:python3 any.py same       2       2 ...         1
unjudged: there is nothing to judge it by
$ assay fuzz -b "exec:python3 any.py picky" -i start --corpus identity.yaml --models 1 --blocks 1 --opset 21 --no-store | grep -c "(IF) 1"
1

# One bad file does not keep the others from being run.
$ echo 'no model' >broken.onnx; assay check relu.onnx broken.onnx odd.onnx -b reference --no-store
? 2
! assay: broken.onnx: ...
relu.onnx: 1 node...
...
odd.onnx: 1 node...
...
model        backend    verdict      note
relu.onnx    reference  agree        ...
broken.onnx  -          error        damaged or cut off ...
odd.onnx     reference  unsupported  ...
backend     given     ran  judged  unsupported  vacuous  unjudged
reference       2       1       1            1        0         0

$ assay check relu.onnx broken.onnx -b reference --no-store --json | python3 -c '
> import json, sys
> print([(m["model"], m["verdict"]) for m in json.load(sys.stdin)])'
[('relu.onnx', 'agree'), ('broken.onnx', 'error')]

# A finding is worse than a bad file, and a bad file than nothing judged.
$ assay check broken.onnx relu.onnx -b reference,fault:relu6 --random 1 --no-store >out; echo $?; assay check odd.onnx broken.onnx -b reference --no-store >out; echo $?
2
2

# Reports tell what was judged, and what was not: JUnit skips it, SARIF leaves it open, the page warns.
$ rm -f assay.db; assay check identity.onnx odd.onnx -b "reference,exec:python3 any.py same" >out; assay check odd.onnx -b "exec:python3 any.py nan" >out
? 4
$ assay report --html page.html --junit page.xml --sarif page.sarif && assay report
0 findings in 0 clusters; 2 campaigns, 3 cases in ...

backend                    given     ran  judged  unsupported  vacuous  unjudged
exec:python3 any.py same       2       2       1            0        0         1
reference                      2       1       1            1        0         0
exec:python3 any.py nan        1       1       0            0        0         1
unjudged: there is nothing to judge it by
$ python3 - <<'END'
> import json, re, xml.etree.ElementTree as tree
> for suite in tree.parse("page.xml").getroot():
>     print(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors"))
>     for case in suite.findall("testcase"):
>         print(" ", case.get("name"), "-", case.findtext("skipped") or "passed")
> for result in json.load(open("page.sarif"))["runs"][0]["results"]:
>     print(result["ruleId"], result["kind"], result["level"], result["message"]["text"][:60])
> print(re.findall("</strong> (.{40})", open("page.html").read()))
> END
exec:python3 any.py same 2 0 0
  check identity.onnx, run 1 - passed
  check odd.onnx, run 1 - exec:python3 any.py same was judged on nothing: 1 case given, 1 unjudged; ran; nothing to judge it by: the reference does not have com.example/Odd
reference 2 0 0
  check identity.onnx, run 1 - passed
  check odd.onnx, run 1 - reference was judged on nothing: 1 case given, none ran, 1 unsupported; unsupported: odd.onnx: node 'n': operator Odd of domain 'com.example' is not known
exec:python3 any.py nan 1 0 0
  check odd.onnx, run 2 - exec:python3 any.py nan was judged on nothing: 1 case given, 1 unjudged; suspicious: output 'y': element 0 is NaN though all inputs are finite; nothing to judge it by: the reference does not have com.example/Odd
unjudged open none check odd.onnx: exec:python3 any.py same was judged on nothi
unjudged open none check odd.onnx: reference was judged on nothing: 1 case give
unjudged open none check odd.onnx: exec:python3 any.py nan was judged on nothin
['exec:python3 any.py same was judged on n', 'reference was judged on nothing: 1 case ', 'exec:python3 any.py nan was judged on no']

# An operator of a library has no versions: what came with a later version of it is refused rightly by an earlier one.
$ python3 - <<'END'
> def field(n, data): return bytes([n << 3 | 2, len(data) & 127 | 128, len(data) >> 7]) + data
> def number(n, x): return bytes([n << 3, x])
> def value(name, type, dims):
>     return field(1, name) + field(2, field(1, number(1, type) + field(2, b"".join(field(1, number(1, d)) for d in dims))))
> def attribute(name, x): return field(5, field(1, name) + number(3, x) + b"\xa0\x01\x02")
> inputs = [value(b"a", 1, [1, 16]), value(b"b", 2, [1, 1, 8]), value(b"s", 1, [1, 1])]
> node = b"".join(field(1, n) for n in (b"a", b"b", b"s")) + field(2, b"y") + field(4, b"MatMulNBits") + field(7, b"com.microsoft")
> node += attribute(b"K", 16) + attribute(b"N", 1) + attribute(b"block_size", 16)
> graph = field(1, node) + field(2, b"g") + b"".join(field(11, i) for i in inputs) + field(12, value(b"y", 1, [1, 1]))
> opsets = field(8, field(1, b"") + number(2, 17)) + field(8, field(1, b"com.microsoft") + number(2, 1))
> open("nbits.onnx", "wb").write(number(1, 8) + field(7, graph) + opsets)
> END
$ assay check nbits.onnx -b ort,ort@1.20.1 --no-store | grep -v given >out; case $(uname -m) in aarch64) grep -c 'ort         rounding' out;; *) grep -c 'ort         agree' out;; esac
1
$ grep -o 'ort@1.20.1 *unsupported\|MatMulNBits.*packages)' out
ort@1.20.1  unsupported
MatMulNBits: a node without bits came with 1.23.2 (schemas of the packages)

# A library of one's own goes by the name that it gives itself.
$ assay check relu.onnx -b "exec:python3 any.py far" --db named.db >/dev/null
? 1
$ assay findings --json --db named.db | grep '"library"'; assay report --db named.db | sed -n 3,4p
   "library": "any",
library             wrong    all
any                     1      1
