# assay ops --judge: what libraries get right, by operator and type.
$ printf '%s\n' 'MatMul-13 f32[2,3] f32[3,4]' 'MatMulInteger-10 u8[2,3] u8[3,2]' >some.case
$ assay ops -b reference,fault:matmul_tail --judge --probes some.case matmul >judged
? 1
$ grep -v microsoft judged | sed -n '1,/^$/p' | grep .
operator                           library           f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool other
MatMul                             reference           +   +   +    +          +   +          +   +
MatMul                             fault:matmul_tail   W   W   W    W          +   +          +   +
MatMulInteger                      reference                           ?              +
MatMulInteger                      fault:matmul_tail                   ?              +
QLinearMatMul                      reference                           ?              ?                  ?
QLinearMatMul                      fault:matmul_tail                   ?              ?                  ?

# What is wrong comes with the case that shows it; below it are counts and what the letters mean.
$ grep -A1 'MatMul float32' judged
fault:matmul_tail MatMul float32: wrong, 1 of 1 cases: output 'y0': element ... times what rounding explains
  case: MatMul-13 f32[2,3] f32[3,4]
$ sed -n 's/^fault:matmul_tail [^ ]*: \(. wrong\), \(. refused\).*/\1 \2/p' judged
4 wrong 0 refused
$ tail -7 judged | cut -c4-14 | tr -d ' ' | paste -sd' '
wrong refused right open unsupported notasked blank

$ assay ops -b fault:matmul_tail --judge --probes some.case --json matmul | python3 -c '
> import json, sys
> d = json.load(sys.stdin)
> cells = {o["name"]: o["backends"]["fault:matmul_tail"] for o in d["operators"]}
> print(sorted(d["legend"]), cells["MatMulInteger"]["uint8"]["result"], cells["QLinearMatMul"]["uint8"]["result"])
> wrong = cells["MatMul"]["float16"]
> print(wrong["result"], wrong["verdict"], wrong["case"], wrong["cases"])
> print(d["backends"][0]["counts"]["wrong"])'
['not asked', 'open', 'refused', 'right', 'unsupported', 'wrong'] right not asked
wrong wrong MatMul-13 f16[2,3] f16[3,4] {'wrong': 1}
4

# Nothing found: the exit status is 0.
$ assay ops -b reference --judge --probes some.case matmulint | grep -c ' refused'
2

# As a page, alone or in a report; the page is complete, and hostile documents are refused or stay text.
$ assay ops -b fault:matmul_tail --judge --probes some.case --html ops.html matmul
? 1
$ assay ops -b fault:matmul_tail --judge --probes some.case --html - matmul | cmp - ops.html
$ grep -c '<a class="m m-WRONG" data-types="f32 f16 f64 bf16" href="#ops-0"><b>W</b> 4 types</a>' ops.html
1
$ grep -o '<tr id="ops-[0-9]*">' ops.html | wc -l
4
$ assay ops -b fault:matmul_tail --judge --probes some.case --json matmul >ops.json; "$(dirname "$ASSAY")/tests/report_store" plain.db
$ assay report --db plain.db --ops ops.json --html report.html; grep -c 'id="operators"' report.html
1
$ sed 's/fault:matmul_tail/<script>boom<\/script>/g' ops.json >hostile.json
$ assay report --db plain.db --ops hostile.json --html hostile.html; grep -c '<script>boom' hostile.html
? 1
0
$ printf '{"schema": "assay/1", "legend": {}, "backends": [7, {"backend": "b", "counts": 4}], "operators": [[], {"backends": {"b": {"x": 5, "y": {"result": "wrong"}}}}]}' >odd.json
$ assay report --db plain.db --ops odd.json --html odd.html; grep -c 'class="m m-WRONG" data-types="y"' odd.html
1
$ printf '{"schema": "assay/1"}' >other.json; assay report --db plain.db --ops other.json --html other.html
? 2
! 'other.json' is not what 'assay ops --judge --json' printed
$ assay ops --html ops.html
? 2
! --html needs --judge

$ assay ops --judge
? 2
! assay: --judge needs -b LIST
