# assay report: a store as a summary, a page, JUnit and SARIF.  tests/support/report_store.c fills the stores.
$ PATH="$(dirname "$ASSAY")/tests:$PATH"; report_store plain.db && report_store hostile.db hostile && report_store empty.db empty

$ assay report --db plain.db
85 findings in 12 clusters; 2 campaigns, 96420 cases in 20 min

library             wrong    nan  crash   hang    oom rejected accepted    all
mxnet                  16      0      0      0      0        0        2     18
onnxruntime            27      0      3      0      0        0        0     30
openvino               12      2      0      0      0        9        0     23
tensorflow              7      0      0      0      1        0        0      8
tract                   5      0      0      1      0        0        0      6

   id verdict  library      operator              ratio nodes findings since
   54 wrong    tract        Gather                  inf     1        5 0.20.0
   31 wrong    openvino     Conv                9.1e+06     1       12 2024.3.0
...
   67 oom      tensorflow   AveragePool               -     1        1 -
… and 2 more clusters

$ ASSAY_DB=empty.db assay report
0 findings in 0 clusters

# No control character of a name reaches the terminal.
$ assay report --db hostile.db | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]'
? 1
0

$ assay report --db plain.db --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["findings"], len(r["clusters"]), r["libraries"]["openvino"])
> print(r["clusters"][1])'
85 12 {'wrong': 12, 'nan': 2, 'crash': 0, 'hang': 0, 'oom': 0, 'protocol': 0, 'rejected': 9, 'accepted': 0}
{'id': 31, 'signature': 'openvino/Conv/wrong/f32,4d', 'method': 'check', 'backend': 'openvino@2024.6.0', 'library': 'openvino', 'version': '2024.6.0', 'verdict': 'wrong', 'op': 'Conv', 'node': '', 'noise_ratio': 9100000.0, 'nodes': 1, 'findings': 12, 'since': '2024.3.0', 'until': '', 'repro': 'assay replay 31 --db plain.db'}

# Files; with them nothing is printed, and writing them twice gives the same bytes.
$ assay report --db plain.db --html a.html --junit a.xml --sarif a.sarif --title 'A <b>title</b>'
$ assay report --db plain.db --html - --title 'A <b>title</b>' | cmp - a.html
$ grep -c '<title>A &lt;b&gt;title&lt;/b&gt;</title>' a.html
1

# The page is complete: it names nothing outside of itself, and one script runs in it.
$ python3 -c '
> import re
> for name in "a.html", "h.html":
>     if name == "h.html":
>         import subprocess
>         subprocess.run(["assay", "report", "--db", "hostile.db", "--html", name, "--junit", "h.xml", "--sarif", "h.sarif"], check=True)
>     text = open(name, encoding="utf-8").read()
>     print(name, len(re.findall("<script", text)), len(re.findall("</script", text)), re.findall("<img|<iframe|onerror=x", text),
>           {u for u in re.findall("(?:src|href)=\"([^#\"][^\"]*)\"", text)}, "boom()" in text)'
a.html 1 1 [] {'data:,'} False
h.html 1 1 [] {'data:,'} True

# Hostile names come through XML and JSON as text.
$ python3 -c '
> import json, xml.etree.ElementTree as tree
> case = tree.parse("h.xml").getroot().find("testsuite/testcase")
> print(case.get("classname")[:20], case.find("failure") is not None)
> print(json.load(open("h.sarif"))["runs"][0]["results"][0]["properties"]["library"][:20])'
</script></style><im True
</script></style><im

$ python3 -c '
> import xml.etree.ElementTree as tree
> for suite in tree.parse("a.xml").getroot():
>     print(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors"), len(suite.findall("testcase")))' | sort
mxnet@1.9.1 2 2 0 2
mxnet@1.9.1:O0 1 1 0 1
openvino@2024.6.0 3 2 1 3
openvino@2024.6.0:O0 2 1 1 2
ort@1.17.3 1 0 1 1
ort@1.17.3:O0 1 0 1 1
ort@1.20.1 2 2 0 2
ort@1.20.1:O0 2 2 0 2
tf@2.16.1 2 1 1 2
tf@2.16.1:O0 1 1 0 1
tract@0.21.7 2 1 1 2
tract@0.21.7:O0 1 1 0 1

$ assay report --db nowhere.db
? 2
! nowhere.db

$ assay report --db a.html
? 2
! a.html

$ assay report plain.db
? 2
! report takes no argument, got 'plain.db'

$ assay report --db plain.db --html /nowhere/a.html
? 2
! /nowhere/a.html

# The list says which versions show a finding.
$ assay report --db plain.db --html list.html; grep -o 'class="c-library">openvino [^<]*' list.html | sed 's/.*>//' | sort -u
openvino 2024.6.0
...
