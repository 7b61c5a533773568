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

static int no_network(const char *backend, const char *version, void *arg, struct err *why)
{
	(void)backend, (void)version, (void)arg;
	return err_set(why, ERR_IO, "there is no network");
}

/* A version that could not be run says nothing of the finding, and the message says why it could not. */
static void test_version_absent(void **state)
{
	static const char *const versions[] = {NEW_ORT};
	struct bisect_result r = {0};
	struct worker_spec spec;
	struct trial t;
	const struct bisect_request q = {.trial = &t,
					 .spec = &spec,
					 .verdict = VERDICT_WRONG,
					 .versions = versions,
					 .n = 1,
					 .install = no_network};
	char folder[SPEC_PATH];

	(void)state;
	if (!is_installed("ort", NEW_ORT, folder, sizeof folder))
		skip();
	t = make_pattern();
	assert_int_equal(spec_make("ort@" NEW_ORT, &spec, &e), 0);
	assert_int_equal(bisect_versions(&q, &r, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "could not be run: there is no network"));
	spec_release(&spec);
	trial_release(&t);
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

/* A library's own Python: the venv of its name in $ASSAY_REPRO_VENVS, else python3 with the library's site folder. */
static FILE *start_python(const char *backend, const char *site, const char *args)
{
	const char *venvs = getenv("ASSAY_REPRO_VENVS");
	char command[64 * 64];
	FILE *f;
	int n;

	if (venvs)
		n = snprintf(command, sizeof command, "'%s/%s/bin/python' ", venvs, backend);
	else
		n = snprintf(command, sizeof command, "PYTHONPATH='%s' python3 ", site);
	n += snprintf(command + n, sizeof command - (size_t)n, "tests/support/run_scripts.py %s", args);
	assert_true((size_t)n < sizeof command);
	f = popen(command, "r");
	assert_non_null(f);
	return f;
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
	/* Reduced models tell the types of their outputs, too (triage/candidate.c): some libraries want them. */
	if (case_parse(line, 3, &c, &e) || ops_bind(c.model, &e) || ops_infer(c.model, &e) ||
	    trial_init(&t, c.model, c.inputs, 3, &e) || trial_inputs_npz(&t, &npz, &e))
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
	char path[256];

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
	{"tvm", "", "tvm", CONV, 0},
	{"tvm", "", "tvm", "Reshape-13 f32[2,3] i64{3,-1}", 0},
	{"iree", "", "iree", CONV, 0},
	{"opencv", "", "cv2", CONV, 0},
	{"tinygrad", "", "tinygrad", "Softmax-13 f32[3,4] axis=1", 0},
	{"opencv", ":classic", "cv2", "Softmax-13 f32[3,4] axis=1", 0},
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

#define N_CASES (sizeof script_cases / sizeof *script_cases)

static void run_command(const char *command)
{
	FILE *f = popen(command, "r");

	assert_int_equal(f ? pclose(f) : -1, 0);
}

/* The script of a case with a right answer, folder/<number>, and of one with a wrong answer, folder/<number>-wrong;
 * adds both to the arguments. */
static void write_scripts(size_t i, const char *folder, char *args, size_t size)
{
	const struct script_case *c = &script_cases[i];
	char right[64], wrong[80], name[64], command[256];
	size_t n = strlen(args);

	snprintf(name, sizeof name, "%s%s", c->backend, c->options);
	snprintf(right, sizeof right, "%s/%zu", folder, i);
	snprintf(wrong, sizeof wrong, "%s-wrong", right);
	write_bundle(c->line, name, c->gradient, right);
	snprintf(command, sizeof command, "cp -r '%s' '%s'", right, wrong);
	run_command(command);
	spoil(wrong, c->gradient);
	assert_true((size_t)snprintf(args + n, size - n, " %s/repro.py %s/repro.py", right, wrong) < size - n);
}

static void check_answers(FILE *f, const struct script_case *first, size_t n)
{
	char line[32];

	for (size_t k = 0; k < 2 * n; k++) {
		const struct script_case *c = first + k / 2;
		const char *wanted = k % 2 ? "1\n" : "0\n";

		if (!fgets(line, sizeof line, f))
			fail_msg("%s: no answer", c->backend);
		if (!strcmp(line, "no package\n")) {
			print_message("%s: Python does not have the package\n", c->backend);
			return;
		}
		if (strcmp(line, wanted) != 0)
			fail_msg("%s%s, %s: the script of a %s answer ends with %s", c->backend, c->options, c->line,
				 k % 2 ? "wrong" : "right", line);
		print_message("%s%s, %.40s%s: %s\n", c->backend, c->options, c->line, c->gradient ? ", gradient" : "",
			      k % 2 ? "shows what is wrong" : "shows nothing");
	}
}

/* All scripts of a library, which stand one behind the other; how many. */
static size_t check_scripts(size_t first)
{
	const struct script_case *c = &script_cases[first];
	char folder[] = "/tmp/assay-repro-XXXXXX", site[SPEC_PATH], args[32 * 64];
	size_t n = 1;
	FILE *f;

	while (first + n < N_CASES && !strcmp(script_cases[first + n].backend, c->backend))
		n++;
	if (!is_installed(c->backend, NULL, site, sizeof site - 8)) {
		print_message("%s is not installed\n", c->backend);
		return n;
	}
	strncat(site, "/site", 8);
	assert_non_null(mkdtemp(folder));
	snprintf(args, sizeof args, "%s", c->package);
	for (size_t i = first; i < first + n; i++)
		write_scripts(i, folder, args, sizeof args);
	f = start_python(c->backend, site, args);
	check_answers(f, c, n);
	assert_int_equal(pclose(f), 0);
	snprintf(args, sizeof args, "rm -r '%s'", folder);
	run_command(args);
	return n;
}

/* CNTK's package is for a Python that is gone: the bundle says so. */
static void test_no_script(void **state)
{
	char folder[] = "/tmp/assay-repro-XXXXXX", path[SPEC_PATH], site[SPEC_PATH];
	struct buf text;

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
	run_command(path);
}

static void test_scripts(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_CASES;)
		i += check_scripts(i);
}

int main(void)
{
	char folder[SPEC_PATH];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_absent), cmocka_unit_test(test_optimizer_is_named),
		cmocka_unit_test(test_plain_nodes),    cmocka_unit_test(test_versions),
		cmocka_unit_test(test_scripts),        cmocka_unit_test(test_no_script),
	};

	if (!is_installed("ort", NULL, folder, sizeof folder)) {
		print_message("no library is installed\n");
		return SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
