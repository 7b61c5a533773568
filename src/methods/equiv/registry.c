/* registry.c - see registry.h: reading registries, the list of unsafe operations, and learned plans. */
#include "methods/equiv/registry.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "methods/equiv/form.h"
#include "methods/equiv/known.h"
#include "methods/equiv/roles.h"

#define MAX_DATA ((size_t)16 << 20)

/* ---- what parameters are ----------------------------------------------------------------------------------------- */

/* The rank that lists with one number for each dimension ask for ("list(int) >= 4"), or names of parameters do. */
static int wanted_rank(const struct api *api)
{
	int rank = 0;

	for (size_t i = 0; i < api->op->n_parameters; i++) {
		const struct backend_parameter *p = &api->op->parameters[i];
		int64_t least = dialect_least(p);

		if (api->kinds[i] == PARAMETER_INTS && least > 2 && least <= ROLE_RANK)
			return (int)least;
		if (!rank && api->roles[i])
			rank = api->roles[i]->rank;
	}
	return rank;
}

void registry_classify(const struct registry *r, struct api *api)
{
	const struct backend_operation *op = api->op;
	const struct dialect *d = r->dialect;

	if (op->unusable && *op->unusable)
		api->why_not = op->unusable;
	else if (op->n_parameters > API_MAX_PARAMETERS)
		api->why_not = "it has too many parameters";
	for (size_t i = 0; i < op->n_parameters && !api->why_not; i++) {
		const struct backend_parameter *p = &op->parameters[i];

		api->roles[i] = dialect_role(d, op->name, p->name);
		api->kinds[i] = dialect_kind(d, op, p);
		if (api->kinds[i] == PARAMETER_UNKNOWN && api->roles[i] && api->roles[i]->texts)
			api->kinds[i] = PARAMETER_WORD;
		if (api->kinds[i] == PARAMETER_UNKNOWN && !p->optional)
			api->why_not = "a parameter is a handle, a function or a text without a list of values";
		if (d->has_type && !p->optional && (p->is_input || api->kinds[i] == PARAMETER_DTYPE) &&
		    !d->has_type(op, p) && !api->why_not)
			api->why_not = "its element types do not pass through a call";
	}
	known_of_registry(api);
	if (!api->why_not)
		api->rank = wanted_rank(api);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

int registry_lines(const struct registry *r, const char *path, void (*fn)(char **fields, void *arg), void *arg,
		   struct err *e)
{
	struct buf text;
	char *at, *line;
	int rc;

	buf_init(&text, MAX_DATA);
	rc = buf_read_file(&text, path, MAX_DATA, e);
	for (at = text.data; !rc && at && (line = strsep(&at, "\n"));) {
		char *fields[3] = {strsep(&line, "\t"), line ? strsep(&line, "\t") : NULL, line};

		if (fields[0] && !strcmp(fields[0], r->dialect->name) && fields[1] && fields[2])
			fn(fields, arg);
	}
	buf_release(&text);
	return rc;
}

/* library, pattern of names, reason */
static void exclude(char **fields, void *arg)
{
	struct registry *r = arg;
	const char *reason = arena_strdup(&r->arena, fields[2]);

	for (size_t i = 0; i < r->n; i++)
		if (!fnmatch(fields[1], r->apis[i].op->name, 0))
			r->apis[i].why_not = reason ? reason : "excluded";
}

/* library, API, plans */
static void learn(char **fields, void *arg)
{
	struct registry *r = arg;

	for (size_t i = 0; i < r->n; i++) {
		char *at = fields[2];

		if (strcmp(r->apis[i].op->name, fields[1]) != 0)
			continue;
		while (*at && r->apis[i].n_plans < API_MAX_PLANS) {
			char *end;

			r->apis[i].plans[r->apis[i].n_plans] = strtoull(at, &end, 10);
			if (end == at)
				break;
			r->apis[i].n_plans++;
			at = end;
		}
	}
}

int registry_save(const struct registry *r, const char *path, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, MAX_DATA);
	for (size_t i = 0; i < r->n; i++) {
		const struct api *api = &r->apis[i];

		if (!api->n_plans)
			continue;
		buf_printf(&text, "%s\t%s\t", r->dialect->name, api->op->name);
		for (size_t k = 0; k < api->n_plans; k++)
			buf_printf(&text, "%s%" PRIu64, k ? " " : "", api->plans[k]);
		buf_puts(&text, "\n");
	}
	rc = buf_check(&text, e);
	if (!rc)
		rc = buf_write_file(text.data ? text.data : "", text.len, path, e);
	buf_release(&text);
	return rc;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

void registry_init(struct registry *r, const char *backend)
{
	*r = (struct registry){.arena = ARENA_INIT,
			       .library = library_find(backend),
			       .dialect = library_dialect(backend),
			       .backend = backend,
			       .version = ""};
}

static int read_files(struct registry *r, const char *folder, struct err *e)
{
	char path[4096];
	int rc;

	snprintf(path, sizeof path, "%s/unsafe.tsv", folder);
	rc = registry_lines(r, path, exclude, r, e);
	if (!rc && r->dialect->forms)
		rc = form_read(r, folder, e);
	if (!rc)
		rc = known_read(r, folder, e);
	snprintf(path, sizeof path, "%s/learned-%s.tsv", folder, r->dialect->name);
	if (rc || access(path, F_OK)) /* nothing learned yet */
		return rc;
	r->learned = 1;
	return registry_lines(r, path, learn, r, e);
}

int registry_open(struct registry *r, const char *backend, const char *folder, struct caller *c, struct err *e)
{
	struct worker_report report;
	struct backend_operation *ops = NULL;
	size_t n = 0;
	int rc;

	registry_init(r, backend);
	if (caller_list(c, "", &r->arena, &ops, &n, &report) != WORKER_OK)
		return err_set(e, ERR_UNSUPPORTED, "%s: %s", backend, report.message);
	r->apis = arena_array(&r->arena, n + 1, sizeof *r->apis);
	r->backend = arena_strdup(&r->arena, backend);
	r->version = arena_strdup(&r->arena, worker_version(c->worker));
	if (!r->apis || !r->backend || !r->version)
		return err_nomem(e, "operations", n * sizeof *r->apis);
	for (; r->n < n; r->n++) {
		r->apis[r->n].op = &ops[r->n];
		registry_classify(r, &r->apis[r->n]);
	}
	rc = read_files(r, folder, e);
	if (rc)
		registry_release(r);
	return rc;
}

void registry_release(struct registry *r)
{
	arena_release(&r->arena);
	*r = (struct registry){0};
}
