/* support_cache.c - what a backend supports, kept between runs (declared in support.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/place.h"
#include "probe/support.h"
#include "worker/parent/spec.h"

#define MAX_CACHE ((size_t)16 << 20)
#define RUN_SECONDS 20 /* for one small model */

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *op_json(const struct support_op *op)
{
	json_t *dtypes = json_object(), *variants = json_array();

	for (int t = 0; t < DT_COUNT; t++)
		if (op->dtypes[t])
			json_object_set_new(dtypes, dtype_name((enum dtype)t), json_string(op->dtypes[t]));
	for (size_t i = 0; i < op->variants.n; i++) {
		const struct support_variant *v = &op->variants.at[i];

		json_array_append_new(variants, json_pack("{s:s, s:s, s:s}", "line", v->line, "result", v->result,
							  "message", v->message));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:s}", "domain", op->domain, "name", op->name, "dtypes", dtypes,
			 "variants", variants, "message", op->message);
}

int support_write(const char *path, const struct support *s, struct err *e)
{
	json_t *ops = json_array();
	json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:o}", "backend", s->backend, "version", s->version, "options",
				 s->options, "probes", s->probes, "operators", ops);
	int rc = root ? 0 : err_nomem(e, "JSON", 0);

	for (size_t i = 0; i < s->ops.n && !rc; i++)
		if (json_array_append_new(ops, op_json(&s->ops.at[i])))
			rc = err_set(e, ERR_INPUT, "operator '%s' has a message that is not text", s->ops.at[i].name);
	if (!rc)
		rc = json_save(root, JSON_INDENT(1), MAX_CACHE, path, e);
	json_decref(root);
	return rc;
}

static const char *keep(struct support *s, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? arena_strdup(&s->arena, text) : NULL;
}

static int read_op(struct support *s, const json_t *from)
{
	struct support_op op = {
		.domain = keep(s, from, "domain"), .name = keep(s, from, "name"), .message = keep(s, from, "message")};
	const json_t *dtypes = json_object_get(from, "dtypes"), *variants = json_object_get(from, "variants");
	int rc = !op.domain || !op.name || !op.message;

	for (int t = 1; t < DT_COUNT; t++)
		op.dtypes[t] = keep(s, dtypes, dtype_name((enum dtype)t));
	for (size_t i = 0; i < json_array_size(variants) && !rc; i++) {
		const json_t *v = json_array_get(variants, i);
		struct support_variant one = {keep(s, v, "line"), keep(s, v, "result"), keep(s, v, "message")};

		rc = !one.line || !one.result || !one.message || vec_push(&op.variants, one);
	}
	if (!rc)
		rc = vec_push(&s->ops, op);
	if (rc)
		vec_release(&op.variants);
	return rc;
}

static int is_same(const json_t *root, const char *key, const char *wanted)
{
	const char *text = json_string_value(json_object_get(root, key));

	return text && !strcmp(text, wanted);
}

int support_read(const char *path, struct support *s, int *found, struct err *e)
{
	json_t *root = json_load_file(path, 0, NULL);
	const json_t *ops = json_object_get(root, "operators");
	int rc = 0;

	*found = is_same(root, "backend", s->backend) && is_same(root, "version", s->version) &&
		 is_same(root, "options", s->options) && is_same(root, "probes", s->probes);
	for (size_t i = 0; *found && i < json_array_size(ops) && !rc; i++)
		if (read_op(s, json_array_get(ops, i)))
			rc = err_set(e, ERR_INPUT, "%s: operator %zu is not what was written there", path, i);
	json_decref(root);
	return rc;
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

#define WAY "2" /* of asking: what was kept of another way is not read */

/* Enough to see that a case was edited. */
static const char *digest(struct arena *a, const struct case_lines *lines)
{
	uint64_t h = hash_bytes(HASH_BEGIN, WAY, sizeof WAY);

	for (size_t i = 0; i < lines->all.n; i++)
		h = hash_bytes(h, lines->all.at[i].text, strlen(lines->all.at[i].text) + 1);
	return arena_printf(a, "%016llx", (unsigned long long)h);
}

/* A variable that says where files lie, which is no option: another tree has the same answers. */
static int is_place(const char *variable)
{
	static const char *const places[] = {"PYTHONPATH=", "ASSAY_REWRITERS="};

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (!strncmp(variable, places[i], strlen(places[i])))
			return 1;
	return 0;
}

/* "level=O0 threads=1 TF_ENABLE_ONEDNN_OPTS=0": everything that makes one backend differ from another. */
static const char *options_text(struct arena *a, const struct worker_spec *spec)
{
	const char *text = arena_strdup(a, "");

	for (size_t i = 0; i < spec->n_options && text; i++)
		text = arena_printf(a, "%s%s%s=%s", text, *text ? " " : "", spec->options[i].name,
				    spec->options[i].value);
	for (char **v = spec->env; v && *v && text; v++)
		if (!is_place(*v))
			text = arena_printf(a, "%s%s%s", text, *text ? " " : "", *v);
	return text;
}

/* The cache file of a backend: one for each version and set of options. */
static int cache_path(const struct support *s, char *out, size_t size, struct err *e)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char name[512];
	int n;

	snprintf(name, sizeof name, "%s@%s+%s", s->backend, s->version, s->options);
	for (char *p = name; *p; p++)
		if (*p == '/' || *p == ' ')
			*p = '+';
	if (cache && *cache)
		n = snprintf(out, size, "%s/assay/support/%s.json", cache, name);
	else
		n = snprintf(out, size, "%s/.cache/assay/support/%s.json", home ? home : "", name);
	return n < (int)size ? 0 : err_set(e, ERR_LIMIT, "the path of the cache is too long");
}

static int open_party(const struct support_request *q, struct party *p, struct err *e)
{
	struct worker_limits limits = {.run_seconds = clock_patience(RUN_SECONDS)};

	return p->worker ? 0 : party_open_spec(p, q->spec, &limits, e);
}

/* Of a command and of a local build only the worker knows the version. */
static int describe(struct support *s, const struct support_request *q, struct party *p, const struct case_lines *lines,
		    struct err *e)
{
	const struct worker_spec *spec = q->spec;
	int asked = !*spec->version && !spec_is_reference(spec), rc = asked ? open_party(q, p, e) : 0;

	if (rc)
		return rc;
	s->backend = arena_strdup(&s->arena, *spec->version ? spec->backend : spec->name);
	s->version = arena_strdup(&s->arena, asked ? party_version(p) : spec->version);
	s->options = options_text(&s->arena, spec);
	s->probes = digest(&s->arena, lines);
	return s->backend && s->version && s->options && s->probes ? 0 : err_nomem(e, "a probe", 0);
}

/* ---- what is not known yet --------------------------------------------------------------------------------------- */

#define KEEP_SECONDS 20 /* between two times that the cache is written */

/* Which lines are asked: those of the request's operators that are not known. */
struct unknown {
	const struct support_request *q;
	const struct support *s;
};

static int is_unknown(const struct op_row *row, const void *arg)
{
	const struct unknown *u = arg;

	if (u->q->wish && !u->q->wish->wanted(row, u->q->wish->arg))
		return 0;
	return u->q->fresh || !support_find(u->s, row->domain, row->name);
}

struct cache_file {
	const char *path;
	double last;
};

static int keep_now(struct cache_file *k, const struct support *s)
{
	struct err ignored = ERR_INIT;

	k->last = clock_now();
	return !place_make_parents(k->path, &ignored) && !support_write(k->path, s, &ignored);
}

/* A support_over. */
static void keep_sometimes(void *arg, const struct support *s)
{
	struct cache_file *k = arg;

	if (clock_now() - k->last > KEEP_SECONDS)
		keep_now(k, s);
}

/* Asks for what is not in `s`. */
static int complete(const struct support_request *q, const struct case_lines *lines, const char *path, struct party *p,
		    struct support *s, int *kept, struct err *e)
{
	const struct unknown u = {q, s};
	const struct probe_wish wish = {is_unknown, &u};
	struct cache_file k = {path, clock_now()};
	struct support_request asked = *q;
	struct case_lines some = {VEC_INIT, ARENA_INIT};
	int rc = probe_lines_wanted(&wish, lines, &some, e);

	asked.over = keep_sometimes;
	asked.over_arg = &k;
	if (!rc && some.all.n)
		rc = open_party(q, p, e);
	if (!rc && some.all.n)
		rc = support_probe(p, &some, &asked, s, e);
	if (!rc && some.all.n)
		*kept = keep_now(&k, s);
	vec_release(&some.all);
	return rc;
}

int support_get(const struct support_request *q, struct support *out, int *kept, struct err *e)
{
	struct support s = {.ops = VEC_INIT, .arena = ARENA_INIT};
	struct case_lines lines = {VEC_INIT, ARENA_INIT};
	struct party p = {0};
	char path[PLACE_PATH];
	int found = 0, rc = case_lines_read(q->probes, &lines, e);

	*kept = 1;
	if (!rc)
		rc = describe(&s, q, &p, &lines, e);
	if (!rc)
		rc = cache_path(&s, path, sizeof path, e);
	if (!rc)
		rc = support_read(path, &s, &found, e);
	if (!rc)
		rc = complete(q, &lines, path, &p, &s, kept, e);
	case_lines_release(&lines);
	party_close(&p);
	if (rc) {
		support_release(&s);
		return rc;
	}
	*out = s;
	return 0;
}
