/* test_backend_triage.c - a real bug of ONNX Runtime reduced, its optimizer and versions named; scripts of bundles.
 *
 * Scripts are run by the Python that $ASSAY_REPRO_PYTHON names (else python3), with the site folder of an installed
 * library where it has one; what cannot be imported there is passed over, with a word. */
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
#include "tensor/io.h"
#include "triage/triage.h"
#include "worker/spec.h"

#define SKIP 77
#define BAD_ORT "1.20.1"

static struct err e = ERR_INIT;

/* ---- Pow(x, 3) taken for a square: fixed in 1.28 -------------------------------------------------------------------
 */

static struct wire *chain(struct graph *g, const char *op, struct wire *a, struct wire *b)
{
	struct wire *in[2] = {a, b};
	struct node *n = NULL;
	char name[32];
	const char *out = name;

	snprintf(name, sizeof name, "v%zu", g->nodes.n);
	assert_int_equal(graph_add_node(g, g->nodes.n, op, "", in, b ? 2 : 1, &out, 1, &n, &e), 0);
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
	assert_string_equal(r.guilty, "optimizer SimplifiedLayerNormFusion");
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
	char folder[SPEC_PATH];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		if (!is_installed("ort", versions[i], folder, sizeof folder)) {
			print_message("ort@%s is not installed\n", versions[i]);
			skip();
		}
	t = make_pattern();
	assert_int_equal(spec_make("ort@" BAD_ORT, &spec, &e), 0);
	if (bisect_versions(&t, &spec, VERDICT_WRONG, 0, versions, 3, NULL, NULL, &r, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(r.first_bad, "1.17.0");
	assert_string_equal(r.last_good_before, "");
	assert_string_equal(r.first_good_after, "1.31.1");
	assert_int_equal(r.n, 3);
	bisect_release(&r);
	/* From a version that is right there is nothing to search. */
	spec_release(&spec);
	assert_int_equal(spec_make("ort@1.31.1", &spec, &e), 0);
	assert_int_equal(bisect_versions(&t, &spec, VERDICT_WRONG, 0, versions, 3, NULL, NULL, &r, &e), ERR_INPUT);
	spec_release(&spec);
	trial_release(&t);
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

static int run_command(const char *format, const char *site, const char *what)
{
	const char *python = getenv("ASSAY_REPRO_PYTHON");
	char command[2 * SPEC_PATH];
	FILE *f;
	int status;

	snprintf(command, sizeof command, format, site, python ? python : "python3", what);
	f = popen(command, "r");
	assert_non_null(f);
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_bundle(const char *line, const char *backend, const char *library, const char *folder)
{
	struct finding f = {.method = "check",
			    .backend = backend,
			    .library = library,
			    .version = "",
			    .verdict = VERDICT_WRONG,
			    .op = "Conv",
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
	if (bundle_write(&f, folder, &e))
		fail_msg("%s", e.msg);
	buf_release(&npz);
	trial_release(&t);
}

/* Makes the right answer a wrong one. */
static void spoil(const char *folder)
{
	struct tensor_set set = TENSOR_SET_INIT;
	char path[128];

	snprintf(path, sizeof path, "%s/expected.npz", folder);
	assert_int_equal(npz_load(path, &set, &e), 0);
	((float *)set.at[0].tensor->data)[3] += 1;
	assert_int_equal(npz_save(&set, path, &e), 0);
	tensor_set_release(&set);
}

static void remove_folder(const char *folder)
{
	static const char *const files[] = {"README.md",  "constants.npz", "expected.npz", "finding.json", "inputs.npz",
					    "model.onnx", "repro.py",      "repro.sh",     "tolerance.npz"};
	char path[128];

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void check_script(const char *line, const char *backend, const char *library, const char *package)
{
	char folder[] = "/tmp/assay-repro-XXXXXX", site[SPEC_PATH], script[64];

	if (!is_installed(backend, NULL, site, sizeof site - 8)) {
		print_message("%s is not installed\n", backend);
		return;
	}
	strncat(site, "/site", 8);
	if (run_command("PYTHONPATH='%s' '%s' -c 'import numpy, %s' >/dev/null 2>&1", site, package)) {
		print_message("Python has no %s\n", package);
		return;
	}
	assert_non_null(mkdtemp(folder));
	write_bundle(line, backend, library, folder);
	snprintf(script, sizeof script, "%s/repro.py", folder);
	if (access(script, X_OK))
		fail_msg("%s: no script", backend);
	assert_int_equal(run_command("PYTHONPATH='%s' '%s' '%s' >/dev/null 2>&1", site, script), 0);
	spoil(folder);
	assert_int_equal(run_command("PYTHONPATH='%s' '%s' '%s' >/dev/null 2>&1", site, script), 1);
	print_message("%s: both ways\n", backend);
	remove_folder(folder);
}

static void test_scripts(void **state)
{
	static const char conv[] = "Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,1]";
	static const char product[] = "Mul-14 f32[3,4] f32[4]";

	(void)state;
	check_script(conv, "ort", "onnxruntime", "onnxruntime");
	check_script(conv, "openvino", "openvino", "openvino");
	check_script(conv, "tract", "tract", "tract");
	check_script(conv, "mnn", "MNN", "MNN");
	check_script(conv, "jax", "jax", "jax");
	check_script(conv, "torch", "torch", "torch");
	check_script(product, "tf", "tensorflow", "tensorflow");
	check_script(product, "mxnet", "mxnet", "mxnet");
}

int main(void)
{
	char folder[SPEC_PATH];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_optimizer_is_named),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_scripts),
	};

	if (!is_installed("ort", NULL, folder, sizeof folder)) {
		print_message("no library is installed\n");
		return SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
