/* journal.c - see journal.h. */
#include "methods/equiv/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"

#define MAX_JOURNAL ((size_t)1 << 30)
#define MAX_LINE ((size_t)64 << 20)

/* The counts of a result, in one place for both ways. */
#define COUNTS(X)    \
	X(inputs)    \
	X(equal)     \
	X(rounding)  \
	X(refused)   \
	X(one_sided) \
	X(random)    \
	X(limited) X(crashes) X(calls) X(refusals) X(accepted) X(next) X(invalid) X(untold) X(unshown) X(alone)

static const char *const kinds[EQUIV_KINDS] = {"difference", "failure", "refusal"};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Rows of one rule may be about the same operation: those are told apart by what they compute. */
static void pair_key(const struct equiv_pair *p, char *out, size_t size)
{
	int n = snprintf(out, size, "%d/%s/%s/%s", p->rule->number, p->sets[0] ? p->sets[0] : "",
			 p->sets[1] ? p->sets[1] : "", p->name);
	struct buf text;

	if (!p->a || n < 0 || (size_t)n >= size)
		return;
	buf_init(&text, MAX_LINE);
	expr_print(p->a, &text);
	snprintf(out + n, size - (size_t)n, "/%" PRIx64, hash_text(text.data ? text.data : ""));
	buf_release(&text);
}

static json_t *finding_json(const struct equiv_finding *f)
{
	char ratio[64];

	snprintf(ratio, sizeof ratio, "%a", f->ratio); /* it may be infinite, which JSON has not */
	return json_pack("{ss, ss, sI, sI, sI, si, ss, ss, ss?, ss, ss, ss, ss, so, sO?}", "verdict",
			 verdict_name(f->verdict), "ratio", ratio, "index", (json_int_t)f->index, "elements",
			 (json_int_t)f->elements, "shown", (json_int_t)f->shown, "repeats", f->repeats, "a", f->a, "b",
			 f->b, "script", f->script, "detail", f->detail, "wrong", equiv_wrong_side(f), "class",
			 equiv_class_name(f->class), "why", f->why, "inputs", json_hex(f->inputs.data, f->inputs.len),
			 "again", f->again);
}

static int write_line(struct journal *j, json_t *take, struct err *e)
{
	struct buf line;
	int rc;

	buf_init(&line, MAX_LINE);
	json_write(&line, take, JSON_COMPACT | JSON_ENSURE_ASCII);
	buf_puts(&line, "\n");
	json_decref(take);
	rc = buf_check(&line, e);
	if (!rc && (fwrite(line.data, 1, line.len, j->file) != line.len || fflush(j->file)))
		rc = err_set(e, ERR_IO, "cannot write the journal: %s", strerror(errno));
	buf_release(&line);
	return rc;
}

int journal_add(struct journal *j, const struct equiv *q, size_t pair, struct err *e)
{
	const struct equiv_result *r = &q->results[pair];
	json_t *line = json_object(), *plans = json_array(), *strikes = json_array();
	char key[512];

	pair_key(&q->pairs[pair], key, sizeof key);
	json_object_set_new(line, "pair", json_string(key));
#define X(name) json_object_set_new(line, #name, json_integer((json_int_t)r->name));
	COUNTS(X)
#undef X
	for (size_t i = 0; i < r->n_plans; i++) {
		json_array_append_new(plans, json_integer((json_int_t)r->plans[i]));
		json_array_append_new(strikes, json_integer((json_int_t)r->strikes[i]));
	}
	json_object_set_new(line, "plans", plans);
	json_object_set_new(line, "strikes", strikes);
	json_object_set_new(line, "done", json_boolean(r->done));
	json_object_set_new(line, "said", json_string(r->said));
	json_object_set_new(line, "said_alone", json_string(r->said_alone));
	for (int k = 0; k < EQUIV_KINDS; k++)
		if (verdict_is_finding(r->found[k].verdict))
			json_object_set_new(line, kinds[k], finding_json(&r->found[k]));
	return write_line(j, line, e);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static char *text_of(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? mem_strdup(s) : NULL;
}

static void read_finding(const json_t *j, struct equiv_finding *f)
{
	const char *ratio = json_string_value(json_object_get(j, "ratio"));
	const char *detail = json_string_value(json_object_get(j, "detail"));
	struct err ignored = ERR_INIT;

	verdict_find(json_text_at(j, "verdict"), &f->verdict);
	f->ratio = ratio ? strtod(ratio, NULL) : 0;
	f->index = (size_t)json_integer_value(json_object_get(j, "index"));
	f->elements = (size_t)json_integer_value(json_object_get(j, "elements"));
	f->shown = (size_t)json_integer_value(json_object_get(j, "shown"));
	f->repeats = json_object_get(j, "repeats") ? (int)json_integer_value(json_object_get(j, "repeats")) : 1;
	f->a = text_of(j, "a");
	f->b = text_of(j, "b");
	f->script = text_of(j, "script");
	snprintf(f->detail, sizeof f->detail, "%s", detail ? detail : "");
	f->wrong = *json_text_at(j, "wrong");
	f->class = equiv_class_find(json_text_at(j, "class"));
	snprintf(f->why, sizeof f->why, "%s", json_text_at(j, "why"));
	f->again = json_incref(json_object_get(j, "again"));
	buf_init(&f->inputs, MAX_LINE);
	json_unhex(json_object_get(j, "inputs"), &f->inputs, &ignored);
}

static void read_result(const json_t *j, struct equiv_result *r)
{
	const json_t *plans = json_object_get(j, "plans"), *strikes = json_object_get(j, "strikes");
	const char *said = json_string_value(json_object_get(j, "said"));

	equiv_result_release(r);
	*r = (struct equiv_result){.run = 1, .done = json_is_true(json_object_get(j, "done"))};
#define X(name) r->name = (size_t)json_integer_value(json_object_get(j, #name));
	COUNTS(X)
#undef X
	for (size_t i = 0; i < json_array_size(plans) && i < API_MAX_PLANS; i++) {
		r->plans[i] = (uint64_t)json_integer_value(json_array_get(plans, i));
		r->strikes[i] = (unsigned)json_integer_value(json_array_get(strikes, i));
		r->n_plans = i + 1;
	}
	snprintf(r->said, sizeof r->said, "%s", said ? said : "");
	snprintf(r->said_alone, sizeof r->said_alone, "%s", json_text_at(j, "said_alone"));
	for (int k = 0; k < EQUIV_KINDS; k++)
		if (json_object_get(j, kinds[k]))
			read_finding(json_object_get(j, kinds[k]), &r->found[k]);
}

static int index_pairs(const struct equiv *q, struct map *index, struct err *e)
{
	char key[512];

	for (size_t i = 0; i < q->n; i++) {
		pair_key(&q->pairs[i], key, sizeof key);
		if (map_put(index, key, &q->results[i]))
			return err_nomem(e, "pairs", 0);
	}
	return 0;
}

static json_t *header_json(const struct equiv *q, const struct equiv_options *o)
{
	char seed[32];

	snprintf(seed, sizeof seed, "%" PRIu64, o->seed);
	return json_pack("{ss, ss, ss, sI, sf, sf, si}", "backend", q->spec.name, "version", q->version, "seed", seed,
			 "inputs", (json_int_t)o->inputs, "atol", o->atol, "rtol", o->rtol, "plant", o->plant);
}

/* *whole: bytes up to the end of the last line that is complete. */
static int read_lines(const char *path, struct buf *text, struct equiv *q, const struct equiv_options *o, size_t *whole,
		      struct err *e)
{
	struct map index = MAP_INIT;
	char *at = text->data, *end;
	json_t *wanted = header_json(q, o);
	int rc = index_pairs(q, &index, e), first = 1;

	for (; !rc && at && (end = strchr(at, '\n')); at = end + 1) {
		json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
		const char *key = json_string_value(json_object_get(line, "pair"));
		struct equiv_result *r = key ? map_get(&index, key) : NULL;

		if (first && !json_equal(line, wanted))
			rc = err_set(e, ERR_INPUT, "'%s' is of another run: library, seed, inputs or tolerances differ",
				     path);
		else if (r)
			read_result(line, r);
		first = 0;
		*whole = (size_t)(end + 1 - text->data);
		json_decref(line);
	}
	json_decref(wanted);
	map_release(&index);
	return rc;
}

int journal_open(struct journal *j, const char *path, struct equiv *q, const struct equiv_options *o, struct err *e)
{
	size_t whole = 0;
	struct buf text;
	int rc = 0;

	*j = (struct journal){0};
	buf_init(&text, MAX_JOURNAL);
	if (!access(path, F_OK))
		rc = buf_read_file(&text, path, MAX_JOURNAL, e);
	if (!rc)
		rc = read_lines(path, &text, q, o, &whole, e);
	if (!rc && text.len > whole && truncate(path, (off_t)whole))
		rc = err_set(e, ERR_IO, "cannot shorten '%s': %s", path, strerror(errno));
	buf_release(&text);
	if (rc)
		return rc;
	j->file = fopen(path, "a");
	if (!j->file)
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	return whole ? 0 : write_line(j, header_json(q, o), e);
}

void journal_close(struct journal *j)
{
	if (j->file)
		fclose(j->file);
	*j = (struct journal){0};
}
