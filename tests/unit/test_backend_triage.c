/* test_backend_triage.c - a real bug of ONNX Runtime reduced, its optimizer and versions named; scripts of bundles.
 *
 * Scripts are run by the Python of a virtual environment, $ASSAY_REPRO_VENVS/<backend>, else by python3 with the site
 * folder of the installed library; where the library's package cannot be imported they are only made, with a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/case.h"
#include "ops/op.h"
#include "tensor/io.h"
#include "triage/triage.h"
#include "worker/parent/spec.h"

#define SKIP 77
#define BAD_ORT "1.20.1"
#define NEW_ORT "1.31.1"

static struct err e = ERR_INIT;

/* ---- Pow(x, 3) taken for a square: fixed in 1.28 ----------------------------------------------------------------- */

static struct wire *chain(struct graph *g, const char *op, struct wire *a, struct wire *b)
{
	struct wire *in[2] = {a, b};
	struct node *n = NULL;
	char name[32];

	snprintf(name, sizeof name, "v%zu", g->nodes.n);
	assert_int_equal(graph_append_node(g, op, in, b ? 2 : 1, name, &n, &e), 0);
	return n->out[0];
}

static struct wire *scalar(struct graph *g, const char *name, double x)
{
	struct wire *w = NULL;

	assert_int_equal(graph_add_init(g, name, tensor_scalar_f(DT_FLOAT, x, &e), &w, &e), 0);
	return w;
}

static struct trial make_pattern(void)
{
	static const int64_t dims[] = {2, 4}, last = -1;
	struct value **in = mem_array(1, sizeof *in);
	struct tensor *x = tensor_new(DT_FLOAT, 2, dims, &e), *row = tensor_new(DT_FLOAT, 1, dims + 1, &e);
	struct type t = TYPE_INIT;
	struct model *m = NULL;
	struct wire *w, *y, *scale;
	struct trial out;

	for (size_t i = 0; i < x->count; i++)
		x->f[i] = 0.25 * (double)i;
	for (size_t i = 0; i < row->count; i++)
		row->f[i] = 1 + 0.5 * (double)i;
	assert_int_equal(model_new(17, &m, &e), 0);
	m->ir_version = 8;
	type_set(&t, DT_FLOAT, 2, dims);
	assert_int_equal(graph_add_input(m->graph, "in", &t, &w, &e), 0);
	assert_int_equal(graph_add_init(m->graph, "scale", row, &scale, &e), 0);
	for (int i = 0; i < 5; i++)
		w = chain(m->graph, i % 2 ? "Sigmoid" : "Softplus", w, NULL);
	y = chain(m->graph, "ReduceMean", chain(m->graph, "Pow", w, scalar(m->graph, "three", 3)), NULL);
	assert_int_equal(node_set_ints(y->producer, "axes", &last, 1, &e), 0);
	y = chain(m->graph, "Sqrt", chain(m->graph, "Add", y, scalar(m->graph, "eps", 1e-5)), NULL);
	y = chain(m->graph, "Mul", chain(m->graph, "Div", w, y), scale);
	for (int i = 0; i < 5; i++)
		y = chain(m->graph, i % 2 ? "Tanh" : "Neg", y, NULL);
	assert_int_equal(graph_add_output(m->graph, y, &e), 0);
	in[0] = value_tensor(x, &e);
	if (trial_init(&out, m, in, 1, &e))
		fail_msg("%s", e.msg);
	return out;
}

static int is_installed(const char *name, const char *version, char *folder, size_t size)
{
	struct spec_installed_list l = {0};
	int found = 0;

	if (spec_find_installed(name, &l, &e))
		return 0;
	for (size_t i = 0; i < l.n && !found; i++)
		if (!version || !strcmp(l.at[i].version, version)) {
			snprintf(folder, size, "%s", l.at[i].folder);
			found = 1;
		}
	spec_installed_release(&l);
	return found;
}

static void test_optimizer_is_named(void **state)
{
	struct trial t;
	struct party p;
	struct outcome o = {0};
	struct reduce_result r = {0};
	char folder[SPEC_PATH];

	(void)state;
	if (!is_installed("ort", BAD_ORT, folder, sizeof folder)) {
		print_message("ort@" BAD_ORT " is not installed\n");
		skip();
	}
	t = make_pattern();
	if (party_open(&p, "ort@" BAD_ORT, NULL, &e) || trial_judge(&t, &p, NULL, &o, &e) ||
	    reduce_trial(&t, &p, &o, NULL, NULL, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	assert_int_equal(r.nodes_before, 16);
	assert_int_equal(r.nodes_after, 6); /* the pattern, all of which it wants */
	assert_string_equal(r.switches.words, "optimizer SimplifiedLayerNormFusion");
	reduce_result_release(&r);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* ONNX Runtime's Normalizer gives other signs between two nodes, whatever these are: they come out as the plainest. */
static void test_plain_nodes(void **state)
{
	static const int64_t dims[] = {1, 2};
	static const char *const wanted[] = {"Neg", "Normalizer", "Neg"};
	const char *name = "normalized";
	struct value **in = mem_array(1, sizeof *in);
	struct tensor *x = tensor_new(DT_FLOAT, 2, dims, &e);
	struct type type = TYPE_INIT;
	struct reduce_result r = {0};
	struct outcome o = {0};
	struct model *m = NULL;
	struct node *n = NULL;
	struct trial t;
	struct wire *w;
	struct party p;
	char folder[SPEC_PATH];

	(void)state;
	if (!is_installed("ort", NEW_ORT, folder, sizeof folder)) {
		print_message("ort@" NEW_ORT " is not installed\n");
		skip();
	}
	x->f[0] = -0.25;
	x->f[1] = 0.5;
	assert_int_equal(model_new(17, &m, &e), 0);
	m->ir_version = 8;
	assert_int_equal(vec_push(&m->opsets, ((struct opset){"ai.onnx.ml", 2})), 0);
	type_set(&type, DT_FLOAT, 2, dims);
	assert_int_equal(graph_add_input(m->graph, "in", &type, &w, &e), 0);
	w = chain(m->graph, "Tanh", w, NULL);
	assert_int_equal(graph_add_node(m->graph, 1,
					&(struct node_spec){.op_type = "Normalizer",
							    .domain = "ai.onnx.ml",
							    .in = &w,
							    .n_in = 1,
							    .out = &name,
							    .n_out = 1},
					&n, &e),
			 0);
	assert_int_equal(node_set_string(n, "norm", "L2", &e), 0);
	w = chain(m->graph, "Erf", chain(m->graph, "Sin", n->out[0], NULL), NULL);
	assert_int_equal(graph_add_output(m->graph, w, &e), 0);
	in[0] = value_tensor(x, &e);
	if (ops_bind(m, &e) || ops_infer(m, &e) || /* all types are declared then */
	    trial_init(&t, m, in, 1, &e) || party_open(&p, "ort@" NEW_ORT, NULL, &e) ||
	    trial_judge(&t, &p, NULL, &o, &e) || reduce_trial(&t, &p, &o, NULL, NULL, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(r.nodes_after, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(r.trial.model->graph->nodes.at[i]->op_type, wanted[i]);
	reduce_result_release(&r);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

static void test_versions(void **state)
{
	static const char *const versions[] = {"1.17.0", BAD_ORT, "1.31.1"};
	struct bisect_result r = {0};
	struct worker_spec spec;
	struct trial t;
	const struct bisect_request q = {
		.trial = &t, .spec = &spec, .verdict = VERDICT_WRONG, .versions = versions, .n = 3};
	char folder[SPEC_PATH];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		if (!is_installed("ort", versions[i], folder, sizeof folder)) {
			print_message("ort@%s is not installed\n", versions[i]);
			skip();
		}
	t = make_pattern();
	assert_int_equal(spec_make("ort@" BAD_ORT, &spec, &e), 0);
	if (bisect_versions(&q, &r, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(r.first_bad, "1.17.0");
	assert_string_equal(r.last_good_before, "");
	assert_string_equal(r.first_good_after, "1.31.1");
	assert_int_equal(r.n, 3);
	bisect_release(&r);
	/* From a version that is right there is nothing to search. */
	spec_release(&spec);
	assert_int_equal(spec_make("ort@1.31.1", &spec, &e), 0);
	assert_int_equal(bisect_versions(&q, &r, &e), ERR_INPUT);
	spec_release(&spec);
	trial_release(&t);
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

/* A library's own Python: the venv of its name in $ASSAY_REPRO_VENVS, else python3 with the library's site folder. */
static int run_command(const char *backend, const char *site, const char *format, const char *what)
{
	const char *venvs = getenv("ASSAY_REPRO_VENVS");
	char command[3 * SPEC_PATH];
	FILE *f;
	int n, status;

	if (venvs)
		n = snprintf(command, sizeof command, "'%s/%s/bin/python' ", venvs, backend);
	else
		n = snprintf(command, sizeof command, "PYTHONPATH='%s' python3 ", site);
	snprintf(command + n, sizeof command - (size_t)n, format, what);
	f = popen(command, "r");
	assert_non_null(f);
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_bundle(const char *line, const char *backend, int gradient, const char *folder)
{
	struct finding f = {.method = "check",
			    .backend = backend,
			    .library = backend,
			    .version = "",
			    .verdict = VERDICT_WRONG,
			    .gradient = gradient,
			    .seed = 3,
			    .op = "",
			    .node = "",
			    .parameter = "",
			    .signature = "",
			    .detail = "",
			    .evidence = "{}",
			    .command = "",
			    .since = "",
			    .until = ""};
	struct op_case c;
	struct trial t;
	struct buf npz;

	buf_init(&npz, 1 << 20);
	if (case_parse(line, 3, &c, &e) || trial_init(&t, c.model, c.inputs, 3, &e) || trial_inputs_npz(&t, &npz, &e))
		fail_msg("%s", e.msg);
	f.model = (struct bytes){t.bytes.data, t.bytes.len};
	f.inputs = (struct bytes){npz.data, npz.len};
	if (bundle_write(&f, NULL, folder, &e))
		fail_msg("%s", e.msg);
	buf_release(&npz);
	trial_release(&t);
}

/* Makes the right answer a wrong one, in its last array: texts have numbers behind them. */
static void spoil(const char *folder, int gradient)
{
	struct tensor_set set = TENSOR_SET_INIT;
	char path[128];

	snprintf(path, sizeof path, "%s/%s.npz", folder, gradient ? "gradients" : "expected");
	assert_int_equal(npz_load(path, &set, &e), 0);
	((float *)set.at[set.n - 1].tensor->data)[0] += 1;
	assert_int_equal(npz_save(&set, path, &e), 0);
	tensor_set_release(&set);
}

static const struct script_case {
	const char *backend, *options, *package, *line;
	int gradient;
} script_cases[] = {
#define CONV "Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,1]"
#define POOL "AveragePool-19 f32[1,3,7,8] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1"
	{"ort", "", "onnxruntime", CONV, 0},
	{"ort", "", "onnxruntime", "StringSplit-20 str{\"a bc\",\"d\"} -> 2", 0},
	{"openvino", "", "openvino", CONV, 0},
	{"tract", "", "tract", CONV, 0},
	{"mnn", "", "MNN", CONV, 0},
	{"jax", "", "jax", CONV, 0},
	{"jax", ":eager", "jax", POOL, 0},
	{"jax", "", "jax", CONV, 1},
	{"pytensor", "", "pytensor", CONV, 0},
	{"pytensor", ":plain", "pytensor", POOL, 0},
	{"pytensor", "", "pytensor", CONV, 1},
	{"tflite", "", "ai_edge_litert", CONV, 0},
	{"tflite", ":reference", "ai_edge_litert", "Softmax-13 f32[3,4] axis=1", 0},
	{"ncnn", "", "ncnn", CONV, 0},

	{"torch", "", "torch", CONV, 0},
	{"torch", "", "torch", POOL, 0},
	{"torch", ":jit", "torch", CONV, 0},
	{"torch", "", "torch", CONV, 1},
	{"torch", "", "torch", "LSTM-14 f32[3,2,4] f32[1,20,4] f32[1,20,5] hidden_size=5", 0},
	{"tf", "", "tensorflow", CONV, 0},
	{"tf", "", "tensorflow", POOL, 0},
	{"tf", ":graph", "tensorflow", CONV, 0},
	{"tf", ":noopt", "tensorflow", "Softmax-13 f32[3,4] axis=1", 0},
	{"tf", "", "tensorflow", CONV, 1},
	{"mxnet", "", "mxnet", CONV, 0},
	{"mxnet", "", "mxnet", POOL, 0},
	{"mxnet", ":symbolic", "mxnet", CONV, 0},
	{"mxnet", "", "mxnet", CONV, 1},
};

/* The script of a right answer says so, that of a wrong one too; 0: Python does not have the package. */
static int run_script(const struct script_case *c, const char *site, const char *folder)
{
	char import[64], script[64];

	snprintf(import, sizeof import, "import numpy, %s", c->package);
	if (run_command(c->backend, site, "-c '%s' >/dev/null 2>&1", import))
		return 0;
	snprintf(script, sizeof script, "%s/repro.py", folder);
	if (run_command(c->backend, site, "'%s' >&2", script))
		fail_msg("%s%s, %s: the script of a right answer", c->backend, c->options, c->line);
	spoil(folder, c->gradient);
	if (run_command(c->backend, site, "'%s' >/dev/null 2>&1", script) != 1)
		fail_msg("%s%s, %s: the script of a wrong answer", c->backend, c->options, c->line);
	return 1;
}

static void check_script(const struct script_case *c)
{
	char folder[] = "/tmp/assay-repro-XXXXXX", site[SPEC_PATH], path[SPEC_PATH], name[64];
	FILE *f;

	if (!is_installed(c->backend, NULL, site, sizeof site - 8)) {
		print_message("%s is not installed\n", c->backend);
		return;
	}
	strncat(site, "/site", 8);
	snprintf(name, sizeof name, "%s%s", c->backend, c->options);
	assert_non_null(mkdtemp(folder));
	write_bundle(c->line, name, c->gradient, folder);
	snprintf(path, sizeof path, "%s/repro.py", folder);
	if (access(path, X_OK))
		fail_msg("%s, %s: no script", name, c->line);
	print_message("%s, %.40s%s: %s\n", name, c->line, c->gradient ? ", gradient" : "",
		      run_script(c, site, folder) ? "both ways" : "Python does not have the package");
	snprintf(path, sizeof path, "rm -r '%s'", folder);
	f = popen(path, "r");
	assert_int_equal(f ? pclose(f) : -1, 0);
}

/* CNTK's package is for a Python that is gone: the bundle says so. */
static void test_no_script(void **state)
{
	char folder[] = "/tmp/assay-repro-XXXXXX", path[SPEC_PATH], site[SPEC_PATH];
	struct buf text;
	FILE *f;

	(void)state;
	if (!is_installed("cntk", NULL, site, sizeof site)) {
		print_message("cntk is not installed\n");
		return;
	}
	assert_non_null(mkdtemp(folder));
	write_bundle("Sqrt-6 f32[3]@1:2", "cntk", 0, folder);
	snprintf(path, sizeof path, "%s/repro.py", folder);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof path, "%s/README.md", folder);
	buf_init(&text, 1);
	assert_int_equal(buf_read_file(&text, path, 1 << 20, &e), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	assert_non_null(strstr(text.data, "Python 3.6"));
	buf_release(&text);
	snprintf(path, sizeof path, "rm -r '%s'", folder);
	f = popen(path, "r");
	assert_int_equal(f ? pclose(f) : -1, 0);
}

static void test_scripts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof script_cases / sizeof *script_cases; i++)
		check_script(&script_cases[i]);
}

int main(void)
{
	char folder[SPEC_PATH];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_optimizer_is_named), cmocka_unit_test(test_plain_nodes),
		cmocka_unit_test(test_versions),           cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_no_script),
	};

	if (!is_installed("ort", NULL, folder, sizeof folder)) {
		print_message("no library is installed\n");
		return SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
