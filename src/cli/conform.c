/* conform.c - see conform.h. */
#include "cli/conform.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/inputs.h"
#include "model/model.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "tensor/io.h"

#define MAX_DEPTH 16 /* of folders */
#define PATH_SIZE 4096

/* ---- finding cases ----------------------------------------------------------------------------------------------- */

static const char *last_part(const char *path, size_t *n)
{
	size_t end = strlen(path), start;

	while (end && path[end - 1] == '/')
		end--;
	start = end;
	while (start && path[start - 1] != '/')
		start--;
	*n = end - start;
	return path + start;
}

static char *name_of_folder(const char *path, int up)
{
	char copy[PATH_SIZE], *name;
	size_t n;

	snprintf(copy, sizeof copy, "%s", path);
	for (;;) {
		const char *part = last_part(copy, &n);

		if (!up--) {
			name = mem_zalloc(n + 1);
			return name ? memcpy(name, part, n) : NULL;
		}
		copy[part - copy] = '\0';
	}
}

static int add_case(const char *dir, struct conform_list *out, struct err *e)
{
	struct conform_case c = {
		.name = name_of_folder(dir, 0), .suite = name_of_folder(dir, 1), .path = mem_strdup(dir)};

	if (c.name && c.suite && c.path && !vec_push(out, c))
		return 0;
	mem_free(c.name);
	mem_free(c.suite);
	mem_free(c.path);
	return err_nomem(e, "test cases", sizeof c);
}

static int find_below(const char *dir, const char *filter, int depth, struct conform_list *out, struct err *e)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *d;
	int rc = 0;

	if (snprintf(path, sizeof path, "%s/model.onnx", dir) < (int)sizeof path && !access(path, R_OK))
		return !filter || strstr(dir, filter) ? add_case(dir, out, e) : 0;
	d = opendir(dir);
	if (!d)
		return depth ? 0 : err_set(e, ERR_IO, "cannot open folder '%s'", dir);
	while (!rc && depth < MAX_DEPTH && (entry = readdir(d))) {
		struct stat st;

		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof path, "%s/%s", dir, entry->d_name) >= (int)sizeof path)
			continue;
		if (!lstat(path, &st) && S_ISDIR(st.st_mode))
			rc = find_below(path, filter, depth + 1, out, e);
	}
	closedir(d);
	return rc;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct conform_case *)a)->path, ((const struct conform_case *)b)->path);
}

int conform_find(const char *dir, const char *filter, struct conform_list *out, struct err *e)
{
	size_t before = out->n;
	int rc = find_below(dir, filter, 0, out, e);

	if (!rc && out->n > before)
		qsort(out->at + before, out->n - before, sizeof *out->at, by_path);
	return rc;
}

void conform_list_release(struct conform_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		mem_free(l->at[i].name);
		mem_free(l->at[i].suite);
		mem_free(l->at[i].path);
	}
	vec_release(l);
}

const char *conform_status_name(enum conform_status s)
{
	static const char *const names[] = {
		[CONFORM_PASSED] = "passed", [CONFORM_FAILED] = "failed", [CONFORM_UNSUPPORTED] = "unsupported"};

	return names[s];
}

size_t conform_count(const struct conform_list *l, enum conform_status s)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i].status == s;
	return n;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static int close_enough(double got, double want, double rtol, double atol)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want) || isinf(got))
		return want == got;
	return fabs(got - want) <= atol + rtol * fabs(want);
}

static int compare_strings(const struct tensor *got, const struct tensor *want, size_t i)
{
	return got->s[i].n == want->s[i].n && !memcmp(got->s[i].p, want->s[i].p, want->s[i].n);
}

/* How to compare, and what came of it. */
struct compare {
	double rtol, atol;
	int values_differ; /* types and shapes were as expected */
};

static int values_differ(struct compare *c, const char *name, size_t i, double got, double want, struct err *e)
{
	c->values_differ = 1;
	return err_set(e, ERR_INPUT, "output '%s' element %zu is %.9g, expected %.9g", name, i, got, want);
}

static int compare_tensors(struct compare *c, struct tensor *got, struct tensor *want, const char *name, struct err *e)
{
	char a[256], b[256];
	int is_float = dtype_is_float(want->dtype);

	if (got->dtype != want->dtype || !tensor_same_shape(got, want))
		return err_set(e, ERR_INPUT, "output '%s' is %s, expected %s", name, tensor_describe(got, a, sizeof a),
			       tensor_describe(want, b, sizeof b));
	for (size_t i = 0; i < want->count; i++) {
		double g = tensor_get(got, i), w = tensor_get(want, i);
		int same = want->dtype == DT_STRING ? compare_strings(got, want, i)
			   : is_float               ? close_enough(g, w, c->rtol, c->atol)
						    : g == w;

		if (!same)
			return values_differ(c, name, i, g, w, e);
	}
	return 0;
}

static int compare_values(struct compare *c, const struct value *got, const struct value *want, const char *name,
			  struct err *e)
{
	struct tensor *packed;
	int rc = 0;

	if (got->kind != want->kind || (got->kind != VALUE_TENSOR && got->n != want->n))
		return err_set(e, ERR_INPUT,
			       "output '%s' is another kind of value, or has another length, than expected", name);
	if (got->kind != VALUE_TENSOR) {
		for (size_t i = 0; i < want->n && !rc; i++)
			rc = compare_values(c, got->items[i], want->items[i], name, e);
		return rc;
	}
	packed = tensor_pack(got->tensor, e); /* to the dtype's own precision */
	if (!packed)
		return e->code;
	rc = compare_tensors(c, packed, want->tensor, name, e);
	tensor_unref(packed);
	return rc;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int load_numbered(const char *dir, const char *kind, size_t i, const struct type *t, struct value **out,
			 struct err *e)
{
	char path[PATH_SIZE];
	int rc;

	if (snprintf(path, sizeof path, "%s/%s_%zu.pb", dir, kind, i) >= (int)sizeof path || access(path, R_OK)) {
		*out = NULL;
		return 0;
	}
	rc = pb_load_value(path, t->kind, out, NULL, e);
	if (rc)
		return rc;
	rc = inputs_adapt(out, t, e);
	if (rc)
		value_unref(*out);
	return rc;
}

static int load_inputs(const struct graph *g, const char *dir, struct value **in, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		rc = load_numbered(dir, "input", i, &g->inputs.at[i]->type, &in[i], e);
	return rc;
}

static int check_outputs(struct compare *c, const struct graph *g, const char *dir, const struct ref_result *got,
			 struct err *e)
{
	for (size_t i = 0; i < g->outputs.n; i++) {
		struct value *want;
		int rc = load_numbered(dir, "output", i, &g->outputs.at[i]->type, &want, e);

		if (!rc && !want)
			rc = err_set(e, ERR_INPUT, "output_%zu.pb is missing", i);
		if (rc)
			return rc;
		rc = compare_values(c, got->outputs[i].value, want, g->outputs.at[i]->name, e);
		value_unref(want);
		if (rc)
			return rc;
	}
	return 0;
}

static int run_set(struct compare *c, struct ref *ref, const struct graph *g, enum ref_mode mode, const char *dir,
		   struct err *e)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	struct ref_options o = {.mode = mode};
	struct ref_result got = {NULL, 0};
	int rc = in ? load_inputs(g, dir, in, e) : err_nomem(e, "inputs", 0);

	if (!rc)
		rc = ref_run(ref, in, g->inputs.n, &o, &got, e);
	if (!rc)
		rc = check_outputs(c, g, dir, &got, e);
	ref_result_release(&got);
	inputs_free(in, g->inputs.n);
	return rc;
}

static int run_sets(struct compare *c, struct model *m, struct ref *ref, enum ref_mode mode, const char *dir,
		    struct err *e)
{
	char path[PATH_SIZE];
	int sets = 0, rc = 0;

	for (; !rc; sets++) {
		if (snprintf(path, sizeof path, "%s/test_data_set_%d", dir, sets) >= (int)sizeof path ||
		    access(path, R_OK))
			break;
		rc = run_set(c, ref, m->graph, mode, path, e);
	}
	return rc || sets ? rc : err_set(e, ERR_INPUT, "no test_data_set_0");
}

/* The error that a case ended with, without its path: the case's name says that already. */
static void set_detail(struct conform_case *c, const char *path, const struct err *e)
{
	size_t n = strlen(path);
	int prefixed = !strncmp(e->msg, path, n) && e->msg[n] == ':' && e->msg[n + 1];

	snprintf(c->detail, sizeof c->detail, "%s", e->msg + (prefixed ? n + 2 : 0));
}

void conform_run(struct conform_case *c, double rtol, double atol)
{
	struct compare compare = {.rtol = rtol, .atol = atol};
	char path[PATH_SIZE];
	struct err e = ERR_INIT, second = ERR_INIT;
	struct model *m = NULL;
	struct ref *ref = NULL;
	int rc;

	snprintf(path, sizeof path, "%s/model.onnx", c->path);
	rc = model_load(path, &m, &e);
	if (!rc)
		rc = ref_open(m, &ref, &e);
	if (!rc)
		rc = run_sets(&compare, m, ref, REF_EXACT, c->path, &e);
	c->rounded = rc && compare.values_differ && !run_sets(&compare, m, ref, REF_ROUNDED, c->path, &second);
	c->status = !rc || c->rounded ? CONFORM_PASSED : rc == ERR_UNSUPPORTED ? CONFORM_UNSUPPORTED : CONFORM_FAILED;
	if (c->rounded)
		snprintf(c->detail, sizeof c->detail, "matches after rounding each node");
	else
		set_detail(c, path, &e);
	ref_close(ref);
	model_free(m);
}
