"""Every rule of scripts/checksrc finds the source that breaks it, and leaves the like of it alone."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
CHECKSRC = os.path.join(SCRIPTS, "checksrc")


def check(files, path=os.environ["PATH"]):
    """Exit status and output for a tree of these files (path: text); C files get their head line."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            if path.endswith((".c", ".h")) and not text.startswith("/*"):
                text = f"/* {os.path.basename(path)} - a test */\n{text}"
            with open(os.path.join(root, path), "w", encoding="utf-8", newline="") as f:
                f.write(text)
        done = subprocess.run([sys.executable, "-B", CHECKSRC, "--root", root], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env={**os.environ, "PATH": path})
    return done.returncode, done.stdout


OP_ROW = "const struct op op_abs = {0};\n"
OP_MACRO = ("#define ONE(id, f) \\\n\tconst struct op op_##id = {f};\n#define TWO(f, id) ONE(id, f)\n"
            "ONE(abs, 1)\nTWO(2, neg)\n")
OP_PASTE = "#define WINDOW(id) \\\n\tconst struct op op_##id##_window = {0};\nWINDOW(hann)\n"

ATTRS = ('const struct op_attr a[] = {OP_FLOAT("alpha", 0.2f), OP_INT_SINCE(13, "axis", -1),\n'
         'OP_NEEDS("to", ATTR_INT), OP_ATTR("k", ATTR_INT), {0}};\n')

EIGHT = "int a, int b, int c, int d, int e, int g, int h, x_fn *i"
ASKS = "int f(int a, struct err *e)\n{\n\tint rc = g(a, e);\n\n\t%s\n}\n"

# rule, what the message says, the tree
BAD = [
    ("guard", "the guard is 'OPS_A_H', by its path 'OPS_KIT_A_H'",
     {"src/ops/kit/a.h": "#ifndef OPS_A_H\n#define OPS_A_H\n#endif\n"}),
    ("banned", "strcpy()", {"src/base/a.c": "int f(void)\n{\n\treturn !!strcpy(a, b);\n}\n"}),
    ("banned", "atoi()", {"tests/unit/test_a.c": "const int a = atoi(s);\n"}),
    ("banned", "malloc() goes past", {"src/ops/a.c": "void *const p = malloc (3);\n"}),
    ("banned", "fprintf() prints", {"src/model/a.c": 'const int n = fprintf(f, "x");\n'}),
    ("banned", "printf() prints", {"src/model/a.c": 'const int n = printf("x");\n'}),
    ("banned", "puts() prints", {"src/worker/child/a.c": 'const int n = puts("x");\n'}),
    ("banned", "exit() ends", {"src/model/a.c": "const int n = (exit(1), 1);\n"}),
    ("banned", "store_add() goes past the door", {"src/methods/equiv/a.c": "const int n = store_add(s, f, e);\n"}),
    ("banned", "spec_make() starts", {"src/triage/repro.c": "const int n = spec_make(f->backend, s, e);\n"}),
    ("banned", "party_open() starts", {"src/report/a.c": "const int n = party_open(p, f->backend, 0, e);\n"}),
    ("banned", "json_dumps() goes past", {"src/triage/a.c": "char *const p = json_dumps(j, 0);\n"}),
    ("banned", "mkdir() goes past", {"src/judge/a.c": "const int n = mkdir(path, 0777);\n"}),
    ("banned", "setenv() changes", {"src/ops/a.c": 'const int n = setenv("A", "1", 1);\n'}),
    ("banned", "mallopt() changes", {"src/cli/main.c": "const int n = mallopt(1, 2);\n"}),
    ("banned", "mem_keep_large() is for main()", {"src/tensor/a.c": "const int n = (mem_keep_large(), 1);\n"}),
    ("banned", "pthread_create() starts", {"src/methods/a/a.c": "const int n = pthread_create(&t, 0, f, 0);\n"}),
    ("streams", "'stdout' goes past", {"src/cli/a.c": "const int n = fprintf(stdout, name);\n"}),
    ("streams", "'stderr' goes past", {"src/cli/a.c": "const int n = fputs(e->msg, stderr);\n"}),
    ("streams", "'stderr' goes past", {"src/judge/a.c": "const int n = fflush(stderr);\n"}),
    ("streams", "'STDOUT_FILENO' goes past", {"src/cli/a.c": "const int n = write(STDOUT_FILENO, p, 3);\n"}),
    ("streams", "'printf' goes past", {"src/cli/a.c": 'const int n = printf("%s", name);\n'}),
    ("streams", "'puts' goes past", {"src/cli/a.c": "const int n = puts(name);\n"}),
    ("banned", "raise() ends", {"src/ops/a.c": "const int n = raise(6);\n"}),
    ("banned", "setlocale() changes", {"src/ops/a.c": 'char *const n = setlocale(0, "");\n'}),
    ("banned", "rand() keeps", {"src/ops/a.c": "const int n = rand();\n"}),
    ("state", "'known' outlives a call", {"src/ops/a.c": "int f(void)\n{\n\tstatic int known = -1;\n}\n"}),
    ("state", "'names' outlives a call", {"src/ops/a.c": "int f(void)\n{\n\tstatic const char *names[3];\n}\n"}),
    ("state", "'b' outlives a call", {"src/ops/a.c": "int f(void)\n{\n\tstatic double b[3], c[3];\n}\n"}),
    ("state", "'last' outlives a call", {"src/ops/a.c": "static size_t last;\n"}),
    ("state", "'names' outlives a call", {"src/ops/a.c": 'static const char *names[] = {"a"};\n'}),
    ("state", "'cap' outlives a call", {"src/model/a.c": "size_t cap = ((size_t)1 << 31) - 1;\n"}),
    ("state", "'none' outlives a call", {"src/model/a.c": 'struct wire none = {.name = ""};\n'}),
    ("state", "'known' outlives a call", {"src/ops/a.c": "static struct {\n\tint a;\n} known;\n"}),
    ("state", "'known' outlives a call", {"src/ops/a.c": "struct a {\n\tint b;\n} known[2] = {{1}};\n"}),
    ("state_list", "'fault' is in STATE", {"src/base/mem.c": "int f(void);\n"}),
    ("layers", "'base' must not include from 'tensor'", {"src/base/a.c": '#include "tensor/t.h"\n',
                                                         "src/tensor/t.h": ""}),
    ("layers", "'worker' must not include from 'reference'", {"src/worker/a.c": '#include "reference/r.h"\n',
                                                              "src/reference/r.h": ""}),
    ("layers", "in no layer", {"src/stuff/a.c": "\n"}),
    ("layers", "neighbour", {"src/backends/ort/a.c": '#include "backends/tf/t.h"\n', "src/backends/tf/t.h": ""}),
    ("layers", "own folder only", {"src/ops/a.c": '#include "model/internal.h"\n', "src/model/internal.h": ""}),
    ("head", "does not begin", {"src/base/a.c": "/* b.c - moved */\n"}),
    ("head", "does not begin", {"src/base/a.h": "/* no name */\n"}),
    ("typedef", "struct hidden", {"src/base/a.h": "typedef struct a a;\n"}),
    ("length", "501 lines, at most 500", {"src/base/a.c": "\n" * 500}),
    ("length", "501 lines, at most 500", {"src/report/a.css": "\n" * 501}),
    ("length", "501 lines, at most 500", {"workers/python/a.py": "\n" * 501}),
    ("length", "501 lines, at most 500", {"scripts/make-a": "#!/bin/sh\n" + "\n" * 500}),
    ("parameters", "'a_f' has 8 parameters", {"src/base/a.h": f"int a_f({EIGHT});\n"}),
    ("parameters", "'f' has 8 parameters", {"src/base/a.c": f"static int f({EIGHT})\n{{\n}}\n"}),
    ("parameters", "'run' has 8 parameters", {"src/base/a.h": f"struct a {{\n\tint (*run)({EIGHT});\n}};\n"}),
    ("parameters", "'NAME' has 8 parameters",
     {"src/base/a.c": f"#define A(NAME) \\\n\tint NAME({EIGHT}) \\\n\t{{}}\n"}),
    ("answers", "f() returns a status or an answer", {"src/base/a.c": ASKS % "return 1;"}),
    ("answers", "f() returns a status or an answer", {"src/base/a.c": ASKS % "return rc ? rc : 1;"}),
    ("answers", "f() returns a status or an answer", {"src/base/a.c": ASKS % "return rc ? rc : a == 2 || !b;"}),
    ("answers", "f() returns a status or an answer", {"src/base/a.c": ASKS % "return rc < 0 ? rc : kept;"}),
    ("answers", "f() returns a status or an answer", {"src/ops/a.c": 'static int f(struct call *c)\n{\n\tif (g(c))\n'
                                                      '\t\treturn call_bad(c, "no");\n\treturn 1;\n}\n'}),
    ("columns", "121 columns", {"src/base/a.c": "\tint " + "a" * 108 + ";\n"}),
    ("blanks", "blanks at the end", {"docs/a.md": "word \n"}),
    ("blanks", "carriage return", {"src/base/a.c": "extern int a;\r\n"}),
    ("blanks", "no newline", {"src/base/a.c": "extern int a;"}),
    ("places", "registry's host", {"docs/a.md": "get it from pypi" + ".org\n"}),
    ("places", "path of one machine", {"scripts/a": "cd /ro" + "ot/x\n"}),
    ("resolve", 'no file for #include "base/no.h"', {"src/base/a.c": '#include "base/no.h"\n'}),
    ("rows", "OP(neg) has no 'const struct op op_neg'", {"src/ops/ops.def": "OP(abs, 1)\nOP(neg, 1)\n",
                                                         "src/ops/a.c": OP_ROW}),
    ("rows", "'const struct op op_abs' has no row", {"src/ops/ops.def": "/* OP(abs, 1) */\n", "src/ops/a.c": OP_ROW}),
    ("rows", "op_abs' is defined in", {"src/ops/ops.def": "OP(abs, 1)\n", "src/ops/a.c": OP_ROW,
                                       "src/ops/b.c": OP_ROW}),
    ("rows", "'int cmd_run' has no row", {"src/cli/verbs.def": "\n",
                                          "src/cli/cmd_run.c": "int cmd_run(int c)\n{\n}\n"}),
    ("rows", "is there twice", {"src/ops/ops.def": "OP(abs, 1)\nOP(abs, 2)\n", "src/ops/a.c": OP_ROW}),
    ("rows", "'const struct op op_neg' has no row", {"src/ops/ops.def": "OP(abs, 1)\n", "src/ops/a.c": OP_MACRO}),
    ("attributes", "no operator has a default of 'beta'",
     {"src/ops/a.c": ATTRS, "src/triage/a.c": 'const double b = attr_float(n(1), "beta");\n'}),
    ("attributes", "no operator has a default of 'alpha' for attr_int()",
     {"src/ops/a.c": ATTRS, "src/triage/a.c": 'const int a = attr_int(n, "alpha");\n'}),
    ("attributes", "no operator has a default of 'k'",
     {"src/ops/a.c": ATTRS, "src/triage/a.c": 'const int k = attr_int(n, "k");\n'}),
    ("attributes", "node_int() without a comment",
     {"src/triage/a.c": "\n" * 6 + 'const int a = node_int(n, "axis", 0);\n'}),
    ("prefix", "'get' begins with no folder, file or noun of base", {"src/base/map.h": "int get(int a);\n"}),
    ("kernel", "puts the verb first: 'abs_eval'", {"src/ops/a.c": "const struct op op_abs = {.eval = eval_abs};\n"}),
    ("kernel", "is called 'rc'", {"src/ops/a.c": "int f(void)\n{\n\tint status;\n}\n"}),
    ("attributes", "belongs into the table", {"workers/python/a.py": 'x = c.attr("alpha", 0.2)\n'}),
]

GOOD = [
    {"src/ops/kit/a.h": "#ifndef OPS_KIT_A_H\n#define OPS_KIT_A_H\n#endif\n", "include/b.h": ""},
    {"tests/unit/test_a.c": "/* Sums. */\n"},
    {"cradle-runs/lenet5/check.json": "no newline, by bench/cradle"},
    {"src/base/mem.c": "static struct {\n\tatomic_int a;\n} fault;\nvoid *const p = malloc(3);\n"},
    {"src/ops/a.c": "static int g(void);\nint f(void)\n{\n\tstatic const int a[] = {1};\n"
                    "\tstatic const char *const b = \"\";\n\tstatic atomic_int c;\n}\n"},
    {"src/ops/a.c": "struct a;\nenum b { B };\nstruct c {\n\tint d;\n};\nstatic const int e[] = {1};\n"
                    "static const char *const g[] = {0};\nextern int h;\nstatic _Atomic size_t i;\n"
                    "static _Thread_local int j;\nstatic pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER;\n"
                    "static int m(int o);\nconst struct c *f(void)\n{\n\tint l = 0;\n\n\treturn l;\n}\n"
                    "static const struct {\n\tint n;\n} rows[] = {{1}};\n"},
    {"src/cli/a.c": "static int verbose;\n", "tests/unit/test_a.c": "static int n;\n"},
    {"src/cli/a.c": 'const int n = fprintf(f, "strcpy(a, b)");\n/* atoi(s) */\n'},
    {"src/base/a.c": "const int n = x->free(1) + my_exit(2) + v.free(3);\n"},
    {"src/cli/a.c": '#include "base/a.h"\n#include "reference/r.h"\n', "src/base/a.h": "", "src/reference/r.h": ""},
    {"src/model/a.c": '#include "model/internal.h"\n#include "onnx-ml.pb-c.h"\n', "src/model/internal.h": ""},
    {"src/base/a.c": ASKS % "return rc ? rc : h(a == 1 ? 1 : 2, e);"},
    {"src/base/a.c": ASKS % "return rc || !a ? rc : 0;"},
    {"src/base/a.c": 'int f(struct err *e)\n{\n\treturn fd < 0 ? err_set(e, ERR_IO, "no") : fd;\n}\n'},
    {"src/base/a.c": "int is_a(int a)\n{\n\tif (a)\n\t\treturn 1;\n\treturn a == 2;\n}\n"},
    {"src/base/a.c": "enum row f(struct err *e)\n{\n\treturn g(e) ? ROW_FAILED : 1;\n}\n"},
    {"tests/unit/test_a.c": ASKS % "return 1;"},
    {"src/base/a.c": '/* a.c - as in\n#include "no.h"\n*/\n'},
    {"src/ops/ops.def": "OP(abs, 1)\nOP(neg, 1)\n", "src/ops/a.c": OP_MACRO,
     "src/cli/verbs.def": "VERB(run, 1)\n", "src/cli/cmd_run.c": "int cmd_run(int c)\n{\n}\n",
     "src/cli/cli.c": "int cmd_run(int c);\n",
     "src/ops/table.c": "#define OP(id, n) extern const struct op op_##id;\n"},
    {"src/ops/ops.def": "OP(hann_window, 1)\n", "src/ops/a.c": OP_PASTE},
    {"src/ops/a.c": ATTRS, "src/triage/a.c": 'const double a = attr_float(n, "alpha") + attr_int(c->n, "axis") + '
                                              'attr_int(n, "to") + attr_float(n, name);\n'},
    {"src/triage/a.c": "\n" * 6 + '/* the last axis */\nconst int a = node_int(n, "axis", rank);\n',
     "workers/python/a.py": 'x = c.attr("axis", x.ndim) + c.attr("alpha")\n'},
    {"src/base/a.c": "\n" * 499, "src/base/a.def": "\n" * 700, "docs/a.md": "\n" * 700, "data/a": "\n" * 700},
    {"bench/support/a.c": '#include "support/a.h"\n', "bench/support/a.h": ""},
    {"bench/a.c": '#include "support/a.h"\n', "tests/support/a.h": ""},
    {"src/base/a.c": "int f(int (*g)(int, int), int h)\n{\n\treturn g(1, 2, 3, 4, 5, 6, 7, 8);\n}\n"
                     "ROW(1, 2, 3, 4, 5, 6, 7, 8)\n"},
    {"docs/a.md": "long " * 40 + "line\n"},
]


class Rules(unittest.TestCase):
    def test_bad(self):
        for rule, says, files in BAD:
            with self.subTest(rule=rule, says=says):
                status, out = check(files)
                self.assertEqual(status, 1, out)
                self.assertRegex(out, rf"(?m)^\S+:\d+: {rule}: ")
                self.assertIn(says, out)
                self.assertIn(" 1 errors,", out)

    def test_good(self):
        for files in GOOD:
            with self.subTest(files=files):
                status, out = check(files)
                self.assertEqual(status, 0, out)

    def test_warnings(self):
        out = check({"src/base/a.c": "int f(void)\n{\n" + "\tg();\n" * 90 + "}\n"})[1]
        self.assertIn("a function of", out)
        self.assertIn("1 warnings", out)

    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_format(self):
        out = check({".clang-format": "BasedOnStyle: LLVM\n", "src/base/a.c": "int   a;\n"})[1]
        self.assertRegex(out, "format: not formatted|format: not checked")

    def test_missing_formatter(self):
        status, out = check({".clang-format": "BasedOnStyle: LLVM\n", "src/base/a.c": "int a;\n"}, path="")
        self.assertEqual(status, 1)
        self.assertIn("format: not checked", out)

    def test_divider(self):
        self.assertIn("divider", check({"src/base/a.c": "/* ---- one ------\n */\n"})[1])
        self.assertNotIn("divider", check({"src/base/a.c": "/* ---- one ------ */\n"})[1])

    def test_tight_layers(self):
        used = {"src/store/a.h": "int a;\n", "src/blame/a.h": "int a;\n"}
        both = '#include "blame/a.h"\n#include "store/a.h"\n'
        self.assertNotIn("triage", check({**used, "src/triage/b.c": both})[1])
        self.assertIn("'triage' includes nothing from 'blame'",
                      check({**used, "src/triage/b.c": '#include "store/a.h"\n'})[1])

    def test_drawn_layers(self):
        with open(os.path.join(os.path.dirname(CHECKSRC), "..", "docs", "architecture.md"), encoding="utf-8") as f:
            page = f.read()
        self.assertNotIn("drawn", check({"docs/architecture.md": page})[1])
        self.assertIn("the layers drawn are not LAYERS",
                      check({"docs/architecture.md": page.replace("\n zoo ", "\n zoology ")})[1])

    def test_backends(self):
        row = 'BACKEND("one", "lib", SPEC_PROGRAM, "", "", "a library")\n'
        files = {"src/worker/backends.def": row, "src/backends/worker.c": "#define WORKERS(X) X(one)\n",
                 "src/libraries/one.c": "", "data/libraries/one.lock": "\n"}
        self.assertNotIn("backends:", check(files)[1])
        self.assertIn("has no 'data/libraries/one.lock'",
                      check({k: v for k, v in files.items() if not k.endswith(".lock")})[1])
        self.assertIn("has no 'src/libraries/one.c'",
                      check({k: v for k, v in files.items() if k != "src/libraries/one.c"})[1])
        self.assertIn("has no 'src/backends/worker.c:one'", check({**files, "src/backends/worker.c": ""})[1])
        self.assertIn("worker.c:two:1: backends: has no row",
                      check({**files, "src/backends/worker.c": "#define WORKERS(X) X(one) X(two)\n"})[1])

    def test_libraries(self):
        row = ('BACKEND("one", "lib", SPEC_PROGRAM, "", "", "a library")\n'
               'BACKEND("reference", "assay", SPEC_INSIDE, "", "", "ours")\n')

        def says(path, text):
            return "libraries:" in check({"src/worker/backends.def": row, path: text})[1]

        self.assertTrue(says("src/cli/a.c", 'const int a = !strcmp(s, "one");\n'))
        self.assertTrue(says("src/triage/a.def", 'ROW("one-cuda", 1)\n'))
        self.assertTrue(says("src/judge/a.h", 'static const char *a[] = {"one@1.2:fast"};\n'))
        self.assertFalse(says("src/libraries/one.c", 'const int a = !strcmp(s, "one");\n'))
        self.assertFalse(says("src/backends/one/one.c", 'const int a = !strcmp(s, "one");\n'))
        self.assertFalse(says("tests/unit/test_a.c", 'const int a = !strcmp(s, "one");\n'))
        self.assertFalse(says("src/cli/a.c", '/* "one" */\nint a = !strcmp(s, "reference") + !strcmp(s, "oneself");\n'))
        self.assertFalse(says("src/cli/a.c", 'struct options o = {.backends = "one"};\n'))

    def test_names(self):
        def says(*texts):
            files = {f"src/base/{chr(97 + i)}.{'h' if i == 0 else 'c'}": text for i, text in enumerate(texts)}
            return check(files)[1].count("names:")

        self.assertEqual(says("", "struct step {\n\tint a;\n};\n", "static struct step {\n\tint b;\n} c;\n"), 1)
        self.assertEqual(says("struct step {\n\tint a;\n};\n", "union step {\n\tint b;\n};\n"), 1)
        self.assertEqual(says("struct step;\n", "struct step {\n\tint a;\n};\n", "struct step a = {0};\n"), 0)
        self.assertEqual(says("enum a { ONE, TWO = 3 };\n", "enum b { TWO };\n"), 1)
        self.assertEqual(says("", "enum { IN_X };\n", "enum { IN_X };\n"), 0)
        self.assertEqual(says('enum a {\n#define X(word) word,\n#include "a.def"\n};\n',
                              'enum b {\n#define X(word) word,\n#include "b.def"\n};\n'), 0)

    def test_bindings(self):
        def says(row, path="src/backends/one/conv.c", listed="o_rows_conv"):
            table = f"const struct binding o_rows_conv[] = {{\n\t{row}\n\t{{0}},\n}};\n"
            list_of = f"static const struct binding *const families[] = {{{listed}, NULL}};\n"
            files = {path: table, "src/backends/one/table.c": list_of, "src/ops/ops.def": 'OP(conv, "", "Conv", 1)\n'}
            return check(files)[1].split("bindings: ", 1)[1:]

        row = '{"Conv", run_conv, "conv2d"},'
        self.assertEqual(says(row), [])
        self.assertEqual(says(row + ' /* alike */'), [])
        self.assertEqual(says(row.replace('"conv2d"', "NULL")), [])
        self.assertIn("not named after its file", says(row, path="src/backends/one/pool.c")[0])
        self.assertIn("in no list", says(row, listed="o_rows_pool")[0])
        self.assertIn("is not called run_", says(row.replace("run_conv", "o_conv"))[0])
        self.assertIn("a row of bindings is", says(row.replace(', "conv2d"', ""))[0])
        self.assertIn("'Conv' is bound in", says(row + "\n\t" + row)[0])
        self.assertIn("call it run_conv", says(row.replace("run_conv", "run_window"))[0])
        self.assertEqual(says(row.replace("run_conv", "run_any") + '\n\t{"Relu", run_any, NULL},'), [])


if __name__ == "__main__":
    unittest.main()
