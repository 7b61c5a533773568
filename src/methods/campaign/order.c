/* order.c - see order.h. */
#include "methods/campaign/order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/near.h"
#include "report/yaml.h"

#define OPTIONAL CYAML_FLAG_OPTIONAL
#define MOST 10000
#define SLICE 300.0 /* seconds */
#define DOUBLINGS 20

/* ---- methods ----------------------------------------------------------------------------------------------------- */

/* What the command line of a method's task has. */
struct order_method {
	const char *name;
	int timed;            /* it takes --time */
	int needs_models;     /* …and without any there is nothing to do */
	const char *beside;   /* in front of a backend that is named alone */
	const char *coverage; /* what stands behind the figure; NULL: it has none */
	const char *go_on;    /* words with which a task that was cut off goes on; a file's name follows "=" */
	int whole;  /* … but it begins the model at hand anew: each slice is twice as long as the one before */
	int shards; /* … of all work; of so many models each where there are models: */
	unsigned models;
};

static const struct order_method methods[] = {
	/* Goes on by itself.  A part has one task: a thousand cores take 288,000 of five minutes a day. */
	{.name = "fuzz", .timed = 1, .shards = SPLIT_MOST, .coverage = "% OLC"},
	{.name = "equiv", .timed = 1, .shards = 16, .go_on = "--resume=pairs", .coverage = "% called"},
	{.name = "search",
	 .timed = 1,
	 .shards = 7,
	 .models = 1,
	 .beside = "reference,",
	 .go_on = "--resume",
	 .whole = 1,
	 .coverage = "NaN kinds"},
	{.name = "check", .models = 16, .needs_models = 1},
	{.name = "swap", .models = 16, .needs_models = 1, .beside = "reference,"},
	{0},
};

static const struct order_method *find_method(const char *name)
{
	const struct order_method *m = methods;

	while (m->name && strcmp(m->name, name) != 0)
		m++;
	return m->name ? m : NULL;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static const cyaml_schema_value_t word_value = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, 4096)};
static const cyaml_schema_value_t seed_value = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int64_t)};

#define WORDS(key, where, member) \
	CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER | OPTIONAL, where, member.at, member.n, &word_value, 0, MOST)
#define TEXT(key, flags, where, member) \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), where, member, 1, 4096)

static const cyaml_schema_field_t part_fields[] = {
	TEXT("method", 0, struct order_part, method),
	TEXT("corpus", OPTIONAL, struct order_part, corpus),
	TEXT("slice", OPTIONAL, struct order_part, slice),
	CYAML_FIELD_FLOAT("share", OPTIONAL, struct order_part, share),
	CYAML_FIELD_INT("shards", OPTIONAL, struct order_part, shards),
	WORDS("backends", struct order_part, backends),
	WORDS("models", struct order_part, models),
	WORDS("options", struct order_part, options),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t part_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct order_part, part_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	TEXT("time", 0, struct order_file, time),
	TEXT("slice", OPTIONAL, struct order_file, slice),
	CYAML_FIELD_INT("jobs", OPTIONAL, struct order_file, jobs),
	CYAML_FIELD_SEQUENCE("seeds", CYAML_FLAG_POINTER | OPTIONAL, struct order_file, seeds, &seed_value, 0, MOST),
	WORDS("backends", struct order_file, backends),
	WORDS("slurm", struct order_file, slurm),
	CYAML_FIELD_SEQUENCE("methods", CYAML_FLAG_POINTER, struct order_file, methods, &part_value, 1, MOST),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t file_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct order_file, file_fields),
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static int read_time(const char *path, const char *key, const char *text, double *out, struct err *e)
{
	return text && clock_parse(text, out, e) ? err_prefix(e, "'%s': %s", path, key) : 0;
}

static int check_part(const char *path, const struct order_part *p, const struct order_method *m, struct err *e)
{
	if (!m)
		return err_set(e, ERR_INPUT,
			       "'%s': there is no method '%s'%s; choose fuzz, equiv, search, check or swap", path,
			       p->method, NEAR_HINT(p->method, methods));
	if (!(p->share >= 0 && p->share < 1e9))
		return err_set(e, ERR_INPUT, "'%s': %s: a share is a number from 0", path, p->method);
	if (p->shards < 0 || p->shards > SPLIT_MOST)
		return err_set(e, ERR_INPUT, "'%s': %s: shards go from 1 to %d", path, p->method, SPLIT_MOST);
	if (m->needs_models && !p->models.n)
		return err_set(e, ERR_INPUT, "'%s': %s needs models", path, p->method);
	if (p->corpus && strcmp(p->method, "fuzz") != 0)
		return err_set(e, ERR_INPUT, "'%s': only fuzz takes a corpus, not %s", path, p->method);
	return 0;
}

#define SHARDS_OF_MODELS 1000 /* of so many models as `options` say: not one each, or none */

static int counts_models(const struct order_part *p)
{
	for (unsigned i = 0; i < p->options.n; i++)
		if (!strncmp(p->options.at[i], "--models", strlen("--models")))
			return 1;
	return 0;
}

static int64_t shards_of(const struct order_part *p, const struct order_method *m)
{
	if (p->shards > 0)
		return p->shards;
	if (m->shards > SHARDS_OF_MODELS && counts_models(p))
		return SHARDS_OF_MODELS;
	return p->models.n && m->models ? (p->models.n + m->models - 1) / m->models : (unsigned)m->shards;
}

static int add_lines(struct campaign_order *o, const char *path, const struct order_part *p, double slice,
		     struct err *e)
{
	const struct order_words *backends = p->backends.n ? &p->backends : &o->file->backends;
	const struct order_method *m = find_method(p->method);
	int rc = check_part(path, p, m, e);

	if (!rc)
		rc = read_time(path, "slice", p->slice, &slice, e);
	if (!rc && !backends->n)
		rc = err_set(e, ERR_INPUT, "'%s': %s has no backends", path, p->method);
	for (unsigned i = 0; i < backends->n && !rc; i++)
		o->lines[o->n++] = (struct order_line){.part = p,
						       .backend = backends->at[i],
						       .share = (p->share > 0 ? p->share : 1) / backends->n,
						       .slice = slice,
						       .shards = shards_of(p, m)};
	return rc;
}

static int make_lines(struct campaign_order *o, const char *path, struct err *e)
{
	const struct order_file *f = o->file;
	double slice = SLICE, sum = 0;
	size_t most = 0;
	int rc = read_time(path, "slice", f->slice, &slice, e);

	for (unsigned i = 0; i < f->methods_count; i++)
		most += f->methods[i].backends.n ? f->methods[i].backends.n : f->backends.n;
	o->lines = mem_array(most + 1, sizeof *o->lines);
	if (!o->lines)
		return err_nomem(e, "lines of a campaign", most);
	for (unsigned i = 0; i < f->methods_count && !rc; i++)
		rc = add_lines(o, path, &f->methods[i], slice, e);
	for (size_t i = 0; i < o->n; i++)
		sum += o->lines[i].share;
	for (size_t i = 0; i < o->n; i++)
		o->lines[i].share /= sum;
	return rc;
}

int order_read(const char *path, struct campaign_order *out, struct err *e)
{
	static const int64_t first_seed[] = {0};
	struct campaign_order o = {.file = NULL};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int rc = yaml_file_load(path, "a campaign", &file_value, (void **)&o.file, e);

	if (rc)
		return rc;
	rc = read_time(path, "time", o.file->time, &o.seconds, e);
	if (!rc)
		rc = make_lines(&o, path, e);
	if (!rc && (o.file->jobs < 0 || o.file->jobs > ORDER_MOST_JOBS))
		rc = err_set(e, ERR_INPUT, "'%s': jobs go from 1 to %d", path, ORDER_MOST_JOBS);
	o.jobs = o.file->jobs > 0 ? (size_t)o.file->jobs : processors > 0 ? (size_t)processors : 1;
	o.seeds = o.file->seeds_count ? o.file->seeds : first_seed;
	o.n_seeds = o.file->seeds_count ? o.file->seeds_count : 1;
	if (rc)
		order_release(&o);
	else
		*out = o;
	return rc;
}

void order_release(struct campaign_order *o)
{
	if (o->file)
		yaml_file_free(&file_value, o->file);
	mem_free(o->lines);
	*o = (struct campaign_order){0};
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

int64_t order_tasks(const struct campaign_order *o, size_t line)
{
	return o->lines[line].shards * (int64_t)o->n_seeds;
}

uint64_t order_seed(const struct campaign_order *o, size_t line, int64_t k)
{
	return (uint64_t)o->seeds[k / o->lines[line].shards];
}

struct split order_split(const struct campaign_order *o, size_t line, int64_t k)
{
	return (struct split){k % o->lines[line].shards, o->lines[line].shards};
}

int order_goes_on(const struct campaign_order *o, size_t line)
{
	return find_method(o->lines[line].part->method)->go_on != NULL;
}

const char *order_coverage(const struct campaign_order *o, size_t line)
{
	return find_method(o->lines[line].part->method)->coverage;
}

double order_slice(const struct campaign_order *o, size_t line, int slices, int stalls)
{
	int n = find_method(o->lines[line].part->method)->whole ? slices : stalls;

	return ldexp(o->lines[line].slice, n < DOUBLINGS ? n : DOUBLINGS);
}

void order_name(const struct campaign_order *o, size_t line, char *out, size_t size)
{
	snprintf(out, size, "%s %s", o->lines[line].part->method, o->lines[line].backend);
}

static uint64_t add_text(uint64_t h, const char *text)
{
	return text ? hash_bytes(h, text, strlen(text) + 1) : hash_number(h, 1);
}

static uint64_t add_words(uint64_t h, const struct order_words *w)
{
	h = hash_number(h, w->n);
	for (unsigned i = 0; i < w->n; i++)
		h = add_text(h, w->at[i]);
	return h;
}

uint64_t order_print(const struct campaign_order *o)
{
	uint64_t h = HASH_BEGIN;

	for (size_t i = 0; i < o->n_seeds; i++)
		h = hash_number(h, (uint64_t)o->seeds[i]);
	for (size_t i = 0; i < o->n; i++) {
		const struct order_line *l = &o->lines[i];

		h = add_text(add_text(add_text(h, l->part->method), l->backend), l->part->corpus);
		h = add_words(add_words(h, &l->part->models), &l->part->options);
		h = hash_bytes(hash_number(h, (uint64_t)l->shards), &l->share, sizeof l->share);
		h = hash_bytes(h, &l->slice, sizeof l->slice);
	}
	return h;
}

/* A word of a command, which a NUL ends. */
#define ADD_WORD(out, ...) (buf_printf(out, __VA_ARGS__), buf_add(out, "", 1))

void order_command(const struct campaign_order *o, const struct order_task *t, struct buf *out)
{
	const struct order_line *l = &o->lines[t->line];
	const struct order_part *p = l->part;
	const struct order_method *m = find_method(p->method);
	const char *file = m->go_on ? strchr(m->go_on, '=') : NULL;

	ADD_WORD(out, "%s", p->method);
	ADD_WORD(out, "--backend=%s%s", m->beside && !strchr(l->backend, ',') ? m->beside : "", l->backend);
	ADD_WORD(out, "--seed=%lld", (long long)t->seed);
	ADD_WORD(out, "--shard=%lld/%lld", (long long)t->split.at + 1, (long long)t->split.of);
	if (m->timed)
		ADD_WORD(out, "--time=%gs", t->slice);
	if (p->corpus)
		ADD_WORD(out, "--corpus=%s", p->corpus);
	ADD_WORD(out, "--db=%s/findings.db", t->folder);
	if (file)
		ADD_WORD(out, "%.*s=%s/%s", (int)(file - m->go_on), m->go_on, t->folder, file + 1);
	else if (m->go_on)
		ADD_WORD(out, "%s", m->go_on);
	for (unsigned i = 0; i < p->options.n; i++)
		ADD_WORD(out, "%s", p->options.at[i]);
	for (unsigned i = 0; i < p->models.n; i++)
		ADD_WORD(out, "%s", p->models.at[i]);
}
