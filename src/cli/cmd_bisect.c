/* cmd_bisect.c - assay bisect: since which version a finding shows, and until which. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "install/install.h"
#include "triage/subject.h"
#include "triage/triage.h"

int cmd_bisect(struct cli *c);

struct cmd_bisect_options {
	struct subject_options subject;
	const char *versions;
	int installed, json;
};

/* ---- which versions ---------------------------------------------------------------------------------------------- */

struct versions {
	VEC(char *) at;
};

static void versions_release(struct versions *v)
{
	for (size_t i = 0; i < v->at.n; i++)
		mem_free(v->at.at[i]);
	vec_release(&v->at);
}

/* Puts a version in its place, oldest first; one that is there already is left out. */
static int add_version(struct versions *v, const char *text, size_t n, struct err *e)
{
	size_t i = 0;
	char *copy = mem_zalloc(n + 1);

	if (!copy)
		return err_nomem(e, "versions", n);
	memcpy(copy, text, n);
	while (i < v->at.n && spec_version_order(v->at.at[i], copy) < 0)
		i++;
	if (!n || (i < v->at.n && !strcmp(v->at.at[i], copy))) {
		mem_free(copy);
		return 0;
	}
	if (vec_insert(&v->at, i, copy)) {
		mem_free(copy);
		return err_nomem(e, "versions", n);
	}
	return 0;
}

static int add_installed(struct versions *v, const char *backend, struct err *e)
{
	struct spec_installed_list list = {0};
	int rc = spec_find_installed(backend, &list, e);

	for (size_t i = 0; i < list.n && !rc; i++)
		rc = add_version(v, list.at[i].version, strlen(list.at[i].version), e);
	spec_installed_release(&list);
	return rc;
}

static int list_versions(const struct cmd_bisect_options *o, const char *backend, const struct lock *lock,
			 struct versions *v, struct err *e)
{
	int rc = 0;

	if (o->versions) {
		for (const char *p = o->versions; *p && !rc; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','))
			rc = add_version(v, p, strcspn(p, ","), e);
		return rc;
	}
	rc = add_installed(v, backend, e);
	for (size_t i = 0; lock && !o->installed && i < lock->versions.n && !rc; i++)
		rc = add_version(v, lock->versions.at[i].version, strlen(lock->versions.at[i].version), e);
	return rc;
}

/* ---- making one available ---------------------------------------------------------------------------------------- */

static int is_installed(const char *backend, const char *version)
{
	struct spec_installed_list list = {0};
	struct err e = ERR_INIT;
	int found = 0;

	if (spec_find_installed(backend, &list, &e))
		return 0;
	for (size_t i = 0; i < list.n && !found; i++)
		found = !strcmp(list.at[i].version, version);
	spec_installed_release(&list);
	return found;
}

static int install_version(const char *backend, const char *version, void *arg, struct err *e)
{
	const struct lock *lock = arg;
	struct install_options o = {0};
	struct install_result r = {0};
	int rc;

	if (is_installed(backend, version))
		return 0;
	if (!lock)
		return err_set(e, ERR_INPUT, "%s %s is not installed", backend, version);
	log_print(LOG_INFO, "installing %s@%s", backend, version);
	rc = install_library(lock, version, &o, &r, e);
	if (!rc)
		install_result_release(&r);
	return rc;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static json_t *or_null(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static void print_json(FILE *out, const struct subject *s, const struct bisect_result *r)
{
	json_t *list = json_array(), *j;

	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:o}", "version", r->tried[i].version, "verdict",
						verdict_name(r->tried[i].verdict), "noise_ratio",
						json_number(r->tried[i].ratio), "note", or_null(r->tried[i].note)));
	j = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "backend", json_text(s->backend), "verdict",
		      verdict_name(s->verdict), "first_bad", or_null(r->first_bad), "last_good_before",
		      or_null(r->last_good_before), "first_good_after", or_null(r->first_good_after), "tried", list);
	json_dumpf(j, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(j);
}

static void print_text(FILE *out, const struct subject *s, const struct bisect_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct bisect_step *t = &r->tried[i];

		fprintf(out, "%-16s %s", t->version, verdict_name(t->verdict));
		if (verdict_is_finding(t->verdict) && t->ratio > 0)
			fprintf(out, ", %.3g times the rounding noise", t->ratio);
		fprintf(out, "%s%s\n", *t->note ? ": " : "", t->note);
	}
	fprintf(out, "first bad: %s", r->first_bad);
	if (*r->last_good_before)
		fprintf(out, " (%s is right)", r->last_good_before);
	else
		fprintf(out, " (no older version in reach is right)");
	if (*r->first_good_after)
		fprintf(out, "; right again since %s\n", r->first_good_after);
	else
		fprintf(out, "; no newer version in reach is right\n");
	(void)s;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int bisect(struct subject *s, const struct worker_spec *spec, const struct cmd_bisect_options *o,
		  struct bisect_result *out, struct err *e)
{
	struct lock_list locks = VEC_INIT;
	struct versions v = {VEC_INIT};
	const struct lock *lock;
	int rc = install_read_locks(&locks, e);

	if (rc)
		return rc;
	lock = install_find_lock(&locks, spec->backend);
	rc = list_versions(o, spec->backend, lock, &v, e);
	if (!rc)
		rc = bisect_versions(&s->trial, spec, s->verdict, s->gradient, (const char *const *)v.at.at, v.at.n,
				     o->installed ? NULL : install_version, (void *)(uintptr_t)lock, out, e);
	versions_release(&v);
	install_locks_release(&locks);
	return rc;
}

static int run(struct cli *c, const char *word, const struct cmd_bisect_options *o, struct err *e)
{
	struct subject s;
	struct worker_spec spec = {0};
	struct bisect_result r = {0};
	int rc = subject_open(word, &o->subject, &s, e);

	if (rc)
		return rc;
	if (!s.has_verdict)
		s.verdict = VERDICT_WRONG;
	rc = spec_make(s.backend, &spec, e);
	if (!rc)
		rc = bisect(&s, &spec, o, &r, e);
	if (!rc) {
		(o->json ? print_json : print_text)(c->out, &s, &r);
		s.f.since = r.first_bad;
		s.f.until = r.first_good_after;
		if (s.store)
			rc = store_update(s.store, &s.f, e);
	}
	bisect_release(&r);
	spec_release(&spec);
	subject_close(&s);
	return rc ? rc : CLI_FINDINGS;
}

int cmd_bisect(struct cli *c)
{
	struct cmd_bisect_options o = {0};
	struct texts rest = {0};
	struct err e = ERR_INIT;
	int rc;
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.subject.backend, "begin with this version"},
		{0, "versions", "LIST", CLI_STRING, &o.versions, "search these, separated by commas"},
		{0, "installed", NULL, CLI_FLAG, &o.installed, "only versions that are installed: fetch nothing"},
		{0, "db", "FILE", CLI_STRING, &o.subject.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "original", NULL, CLI_FLAG, &o.subject.original, "the case as first seen, not the reduced one"},
		{0, "seed", "N", CLI_INT, &o.subject.seed, "of rounding noise, for a folder that does not tell (0)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0},
	};

	c->notes = "Versions are those of the library's lock file and those installed; what is missing is installed.  "
		   "N is\n"
		   "the number of a finding; DIR is a bundle, or a folder with model.onnx and inputs.npz and -b NAME.  "
		   "The\n"
		   "answer goes into the store.  Exit status: 1 when a first bad version was found.\n";
	rc = cli_parse(c, options, &rest, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	if (rest.n != 1)
		rc = err_set(&e, ERR_USAGE, "bisect needs one finding or folder, not %zu", rest.n);
	else
		rc = run(c, rest.at[0], &o, &e);
	vec_release(&rest);
	return rc < 0 ? cli_fail(&e) : rc;
}
