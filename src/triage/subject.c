/* subject.c - see subject.h. */
#include "triage/subject.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/place.h"
#include "proof/proof.h"
#include "worker/parent/spec.h"

#define MAX_JSON ((size_t)1 << 20)
#define MAX_EVIDENCE ((size_t)64 << 20)

/* ---- from the store ---------------------------------------------------------------------------------------------- */

void subject_name_backend(const struct finding *f, char *out, size_t size)
{
	const char *options = strchr(f->backend, ':');
	size_t base = options ? (size_t)(options - f->backend) : strlen(f->backend);
	char name[128];
	const struct spec_backend *known;

	snprintf(name, sizeof name, "%.*s", (int)base, f->backend);
	known = spec_find(name);
	if (known && spec_is_library(known) && *f->version)
		snprintf(out, size, "%s@%s%s", name, f->version, options ? options : "");
	else
		snprintf(out, size, "%s", f->backend);
}

static int open_stored(int64_t id, const struct subject_options *o, struct subject *s, struct err *e)
{
	const struct bytes *model, *inputs;
	int rc = store_open(o->db ? o->db : "", 0, &s->store, e);

	if (!rc)
		rc = store_get(s->store, id, &s->f, e);
	if (rc)
		return rc;
	model = s->f.reduced_model.n && !o->original ? &s->f.reduced_model : &s->f.model;
	inputs = s->f.reduced_model.n && !o->original ? &s->f.reduced_inputs : &s->f.inputs;
	s->verdict = s->f.verdict;
	s->has_verdict = 1;
	s->is_call = !model->n && finding_is_call(&s->f);
	if (s->is_call && o->calls)
		return 0;
	if (s->is_call)
		return err_set(e, ERR_INPUT, "finding %lld has no model; to see it again: %s", (long long)id,
			       s->f.command);
	if (!model->n)
		return err_set(e, ERR_INPUT, "finding %lld has no model", (long long)id);
	s->gradient = s->f.gradient;
	snprintf(s->op, sizeof s->op, "%s", s->f.op);
	subject_name_backend(&s->f, s->backend, sizeof s->backend);
	return trial_from_bytes(model->p, model->n, inputs->p, inputs->n, s->f.seed, &s->trial, e);
}

/* ---- from a folder ----------------------------------------------------------------------------------------------- */

static void take_json(struct subject *s, const json_t *j)
{
	struct finding *f = &s->f;

	f->method = arena_strdup(&s->arena, json_text_at(j, "method"));
	f->backend = arena_strdup(&s->arena, json_text_at(j, "backend"));
	f->library = arena_strdup(&s->arena, json_text_at(j, "library"));
	f->version = arena_strdup(&s->arena, json_text_at(j, "version"));
	f->signature = arena_strdup(&s->arena, json_text_at(j, "signature"));
	f->op = arena_strdup(&s->arena, json_text_at(j, "op"));
	f->gradient = s->gradient = json_is_true(json_object_get(j, "gradient"));
	f->seed = strtoull(json_text_at(j, "seed"), NULL, 10);
	s->has_verdict = verdict_find(json_text_at(j, "verdict"), &s->verdict);
	snprintf(s->op, sizeof s->op, "%s", json_text_at(j, "op"));
	if (f->backend && f->version && *f->backend)
		subject_name_backend(f, s->backend, sizeof s->backend);
}

/* finding.json, when the folder has it. */
static int read_json(const char *folder, struct subject *s, struct err *e)
{
	char path[PLACE_PATH];
	json_error_t trouble;
	struct stat there;
	struct buf text;
	json_t *j;
	int rc;

	if (snprintf(path, sizeof path, "%s/finding.json", folder) >= (int)sizeof path || stat(path, &there))
		return 0;
	buf_init(&text, MAX_JSON);
	rc = buf_read_file(&text, path, MAX_JSON, e);
	j = rc ? NULL : json_loadb(text.data, text.len, 0, &trouble);
	if (!rc && !json_is_object(j))
		rc = err_set(e, ERR_INPUT, "'%s' is not a JSON object", path);
	if (!rc)
		take_json(s, j);
	json_decref(j);
	buf_release(&text);
	return rc;
}

static int open_folder(const char *folder, const struct subject_options *o, struct subject *s, struct err *e)
{
	int rc;

	s->f = (struct finding){.method = "",
				.backend = "",
				.library = "",
				.version = "",
				.op = "",
				.node = "",
				.parameter = "",
				.signature = "",
				.detail = "",
				.evidence = "",
				.command = "",
				.since = "",
				.until = "",
				.seed = (uint64_t)o->seed};
	rc = read_json(folder, s, e);
	return rc ? rc : trial_load(folder, s->f.seed, &s->trial, e);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static int is_number(const char *word, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(word, &end, 10);
	return isdigit((unsigned char)*word) && !*end && !errno && *out > 0;
}

/* What is to be started: typed behind -b, or one of the names that data may have. */
static int make_spec(const char *word, const struct subject_options *o, struct subject *s, struct err *e)
{
	if (o->backend) {
		snprintf(s->backend, sizeof s->backend, "%s", o->backend);
		return spec_make(o->backend, &s->spec, e);
	}
	if (!*s->backend)
		return err_set(e, ERR_USAGE, "'%s' has no finding.json that says which backend: give -b NAME", word);
	return spec_make_found(s->backend, &s->spec, e) ? err_prefix(e, "%s", word) : 0;
}

int subject_open(const char *word, const struct subject_options *o, struct subject *out, struct err *e)
{
	int64_t id;
	int rc;

	*out = (struct subject){0};
	snprintf(out->name, sizeof out->name, "%s", word);
	arena_init(&out->arena, 0);
	if (place_is_folder(word))
		rc = open_folder(word, o, out, e);
	else if (is_number(word, &id))
		rc = open_stored(id, o, out, e);
	else
		rc = err_set(e, ERR_USAGE, "'%s' is neither a folder nor the number of a finding", word);
	if (!rc && !out->is_call)
		rc = make_spec(word, o, out, e);
	if (rc)
		subject_close(out);
	return rc;
}

void subject_close(struct subject *s)
{
	case_bytes_release(&s->reduced);
	buf_release(&s->evidence);
	trial_release(&s->trial);
	if (s->store)
		finding_release(&s->f);
	store_close(s->store);
	spec_release(&s->spec);
	arena_release(&s->arena);
	*s = (struct subject){0};
}

int subject_judge(struct subject *s, struct party *p, struct outcome *o, struct err *e)
{
	int rc = party_open_spec(p, &s->spec, NULL, e);

	if (rc)
		return rc;
	rc = s->gradient ? trial_judge_gradients(&s->trial, p, NULL, o, e) : trial_judge(&s->trial, p, NULL, o, e);
	if (!rc && !s->gradient)
		rc = trial_doubt(&s->trial, NULL, DOUBT_FULL, o, e);
	if (!rc && !s->gradient)
		rc = proof_agree(&s->trial, p, o, e);
	if (rc)
		party_close(p);
	return rc;
}

int subject_check(const struct subject *s, const struct outcome *o, struct err *e)
{
	if (s->has_verdict ? o->verdict == s->verdict : verdict_is_finding(o->verdict))
		return 0;
	return err_set(e, ERR_INPUT, "%s: there is nothing to reduce: %s gives '%s'%s%s", s->name, s->backend,
		       verdict_name(o->verdict), s->has_verdict ? ", not " : "",
		       s->has_verdict ? verdict_name(s->verdict) : "");
}

/* ---- what was made of it ----------------------------------------------------------------------------------------- */

/* The finding's evidence with the reduction in it. */
static int add_reduction(struct subject *s, const struct reduce_result *r, struct err *e)
{
	json_t *all = json_loads(s->f.evidence, 0, NULL);

	if (!json_is_object(all)) {
		json_decref(all);
		all = json_object();
	}
	json_object_set_new(all, "reduce", reduced_json(r));
	buf_init(&s->evidence, MAX_EVIDENCE);
	json_write(&s->evidence, all, JSON_COMPACT);
	json_decref(all);
	s->f.evidence = s->evidence.data ? s->evidence.data : "{}";
	return buf_check(&s->evidence, e);
}

int subject_set_reduced(struct subject *s, const struct party *p, struct reduce_result *r, struct err *e)
{
	struct finding *f = &s->f;
	int rc = reduced_set(r, &s->reduced, f, e);

	if (!rc)
		rc = add_reduction(s, r, e);
	if (rc || s->store)
		return rc;
	f->backend = s->backend;
	f->library = p->spec.library;
	f->version = party_version(p);
	f->verdict = r->outcome.verdict;
	f->gradient = s->gradient;
	f->noise_ratio = r->outcome.ratio;
	f->detail = r->outcome.reason;
	f->original_nodes = (int)r->nodes_before;
	return 0;
}

int subject_store(struct subject *s, struct err *e)
{
	return s->store && store_update(s->store, &s->f, e) ? err_prefix(e, "not stored") : 0;
}
