# The backend tests of the onnx package: the bar that the project set itself, and the page on them is current.
$ cd "$SRC" && assay conform "$ASSAY_DEPS/onnx-tests" --report "$HOME/page.md" \
>   --title 'the backend tests of the `onnx` package 1.17.0' >"$HOME/out"; status=$?; grep " passed" "$HOME/out"; exit $status
1428 cases: ... passed (... not exactly), ... failed, ... unsupported

$ awk '/ passed/ { print ($3 >= 0.98 * $1 ? "enough" : "too few: " $3) }' out
enough

# When this differs, write the page again: the command is in docs/command-line.md.
$ for page in page.md "$SRC/docs/conformance.md"; do
>   awk '/^## / { on = $2 == "reference" } on && NF' "$page" >"section-$(basename "$page")"
> done; diff section-page.md section-conformance.md && grep -c . section-page.md >count && [ "$(cat count)" -gt 20 ]

# ONNX Runtime, which set-up installs: every case that it fails has its row in data/quirks.tsv.
$ cd "$SRC" && assay conform "$ASSAY_DEPS/onnx-tests" -b ort --report "$HOME/ort.md" >"$HOME/out"; status=$?
> grep " passed" "$HOME/out"; exit $status
1428 cases: ... passed (... not exactly), ... failed, ... unsupported
