# assay conform on a small tree of its own.
$ ln -s "$SRC/tests/fixtures/conform" tree

$ assay conform tree/
? 1
unsupported: other/test_unknown: node 'mystery': operator Frobnicate of domain 'ai.onnx' is not known
failed: other/test_wrong_value: output 'y' element 3 is 2.5, expected 2.75
4 cases: 2 passed (0 not exactly), 1 failed, 1 unsupported
backend     given     ran  judged  unsupported  vacuous  unjudged
reference       4       3       3            1        0         0

$ assay conform tree/tiny
2 cases: 2 passed (0 not exactly), 0 failed, 0 unsupported
backend     given     ran  judged  unsupported  vacuous  unjudged
reference       2       2       2            0        0         0

$ assay conform tree/ --rtol 0.2
unsupported: other/test_unknown: ...
4 cases: 3 passed (0 not exactly), 0 failed, 1 unsupported
backend     given     ran  judged  unsupported  vacuous  unjudged
reference       4       3       3            1        0         0

$ assay conform tree/ --filter linear --json
{
 "schema": "assay/1",
 "backend": "reference",
 "version": "",
 "passed": 1,
 "failed": 0,
 "unsupported": 0,
 "counts": {
  "given": 1,
  "ran": 1,
  "judged": 1,
  "unsupported": 0,
  "vacuous": 0,
  "unjudged": 0,
  "explained": 0,
  "judged_on_nothing": false
 },
 "cases": [
  {
   "name": "test_linear",
   "suite": "tiny",
   "status": "passed",
   "detail": ""
  }
 ]
}

# A name that is no UTF-8 does not make a case disappear.
$ mkdir odd && cp -r tree/tiny/test_linear "$(printf 'odd/a\377b')" && assay conform odd --json | grep name
   "name": "a�b",

# Nothing judged is not green: random outputs have only a type and a shape, and an unknown operator nothing at all.
$ assay conform tree/ --filter unknown
? 4
! assay: warning: reference was judged on nothing: 1 case given, none ran, 1 unsupported
unsupported: other/test_unknown: ...
1 cases: 0 passed (0 not exactly), 0 failed, 1 unsupported
...

# ---- the page: every case that does not pass, with a reason that somebody wrote
$ assay conform tree/ --report page.md --reasons tree/reasons.tsv --title 'a small tree'
unsupported: ...
failed: ...
4 cases: ...
...

$ cat page.md
\# Conformance
...
Run here: a small tree.
...
| backend | cases | passed | of these rounded | noise | random | failed | unsupported | pass rate |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| reference | 4 | 2 | 0 | 0 | 0 | 1 | 1 | 50.00 % |

\## reference

| suite | cases | passed | of these rounded | noise | random | failed | unsupported | pass rate |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| other | 2 | 0 | 0 | 0 | 0 | 1 | 1 | 0.00 % |
| tiny | 2 | 2 | 0 | 0 | 0 | 0 | 0 | 100.00 % |
| **all** | 4 | 2 | 0 | 0 | 0 | 1 | 1 | 50.00 % |

\### Cases that do not pass

| case | status | what happens | reason |
|---|---|---|---|
| other/test_unknown | unsupported | node 'mystery': operator Frobnicate of domain 'ai.onnx' is not known | There is no such operator. |
| other/test_wrong_value | failed | output 'y' element 3 is 2.5, expected 2.75 | Made to fail. |

$ printf 'test_unknown\tno such operator\ntest_linear\tdoes not fail at all\n' >some.tsv
$ assay conform tree/ --report page.md --reasons some.tsv
? 1
...
! 'test_linear' passes: its reason is not needed any more
! 1 cases did not pass and have no reason in 'some.tsv'

$ grep -c 'no reason recorded' page.md
1

$ echo 'a line without a tab' >bad.tsv && assay conform tree/tiny --report page.md --reasons bad.tsv
? 2
...
! bad.tsv: line 1 is not 'case<TAB>reason'

# ---- results that were saved: the page of a run in parts is that of the run at once
$ assay conform tree/ --report whole.md --reasons tree/reasons.tsv >whole.txt
$ assay conform tree/ --shard 1/2 --json >first.json; assay conform tree/ --shard 2/2 --json >second.json
? 1
$ assay conform --saved second.json first.json --report parts.md --reasons tree/reasons.tsv >parts.txt
$ cmp whole.md parts.md && head -n 3 whole.txt | cmp - parts.txt

# What was read last of a case counts, and several backends are told apart by name and version.
$ sed 's/"failed"/"passed"/; s/"output .y. element.*"/""/' second.json >mended.json && assay conform --saved first.json second.json mended.json
unsupported: other/test_unknown: ...
4 cases: 3 passed (0 not exactly), 0 failed, 1 unsupported

$ sed 's/"version": ""/"version": "2"/' first.json >other.json && assay conform --saved first.json other.json | grep cases
reference: 2 cases: ...
reference: 2 cases: ...

$ echo '{"schema": "assay/1", "backend": "ort", "version": "1", "cases": [{"name": "a", "suite": "b", "status": "fine"}]}' >odd.json && assay conform --saved odd.json
? 2
! odd.json: a case lacks its name, its suite or its status

$ echo '{"cases": 1}' >odd.json && assay conform --saved odd.json
? 2
! odd.json: these are not results that 'assay conform --json' printed

$ echo '[1, {' >odd.json && assay conform --saved odd.json
? 2
! 'odd.json' is not JSON: line 2: ...

$ assay conform --saved absent.json
? 2
! cannot open 'absent.json': ...

$ assay conform --saved
? 2
! conform --saved needs at least one file

$ assay conform --saved first.json --filter linear
? 2
! --saved runs nothing: not with --filter, --shard or --usage

# ---- nothing to do
$ assay conform
? 2
! conform needs at least one folder

$ assay conform nowhere
? 2
! cannot open folder 'nowhere'

$ mkdir empty; assay conform empty
? 2
! no test case

$ assay conform tree/ -b nothing
? 2
! unknown backend 'nothing'; 'assay backends' lists them

$ assay conform tree/ -b ort@0.0.1
? 2
! backend 'ort@0.0.1' is not installed; 'assay backends install ort@0.0.1' gets it

# ---- several cases at a time: the same output, and the page's files are found from any folder
$ assay conform $ASSAY_DEPS/onnx-tests/node --filter test_conv -b reference,ort --report one.md >one && assay conform $ASSAY_DEPS/onnx-tests/node --filter test_conv -b reference,ort --jobs 3 --report three.md >three
> cmp one three && cmp one.md three.md && grep '^ort' three
ort: ... cases: ... passed (... not exactly), 0 failed, 0 unsupported
ort ...            0        0         0

$ assay conform $ASSAY_DEPS/onnx-tests/node --jobs 0
? 2
! --jobs is a number from 1 to 64

# The page names files, not the machine's folders.
$ assay conform tree/tiny --report page.md >/dev/null; sed -n 3p page.md
Written by `assay conform --report`; do not edit.  Reasons come from `conformance-reasons.tsv` and `quirks.tsv`.
