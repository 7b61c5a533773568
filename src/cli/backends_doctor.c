/* backends_doctor.c - assay backends doctor: what the doctor found of each installed library, and what helps. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/progress.h"
#include "cli/backends.h"
#include "install/doctor.h"

/* ---- output ------------------------------------------------------------------------------------------------------ */

static const char *last_line(const char *text)
{
	const char *line = strrchr(text, '\n');

	return line ? line + 1 : text;
}

static void print_patient(FILE *out, const struct doctor_patient *p)
{
	const struct doctor_check *failed = doctor_failed(p);

	fprintf(out, "%-24s %s", p->backend, failed ? "broken" : "ok");
	for (size_t i = 0; i < p->n; i++) {
		const struct doctor_check *c = &p->checks[i];

		fprintf(out, "%s %s", i ? "," : ":", c->name);
		if (c->ratio >= 0)
			fprintf(out, " %.1f× noise", c->ratio);
		if (c->status != DOCTOR_OK)
			fprintf(out, " %s", doctor_status_name(c->status));
	}
	fputc('\n', out);
	for (size_t i = 0; i < p->n; i++)
		if (p->checks[i].status != DOCTOR_OK)
			fprintf(out, "  %s: %s\n", p->checks[i].name, p->checks[i].detail);
	if (failed && *last_line(p->said))
		fprintf(out, "  last words: %s\n", last_line(p->said));
	if (*p->mend)
		fprintf(out, "  to fix it: %s\n", p->mend);
}

/* ---- the subcommand ---------------------------------------------------------------------------------------------- */

struct doctor_visit {
	FILE *out;
	const struct texts *names;
	json_t *list; /* NULL: text */
	size_t broken;
	unsigned guards; /* what held the workers; 0: none was started */
};

/* All named libraries. */
static int examine_all(struct doctor_visit *v, const struct spec_installed_list *l, const struct lock_list *locks,
		       struct err *e)
{
	struct doctor_case cases[DOCTOR_CASES];
	struct progress bar;
	int rc = doctor_cases_make(cases, e);

	if (rc)
		return rc;
	progress_start(&bar, "libraries", l->n);
	for (size_t i = 0; i < l->n; i++) {
		struct doctor_patient p;
		struct err absent = ERR_INIT;

		if (!backends_is_named(v->names, &l->at[i]) || spec_is_absent(l->at[i].name, &absent))
			continue;
		progress_step(&bar, i, l->at[i].name);
		doctor_examine(&l->at[i], cases, locks, &p);
		v->broken += doctor_failed(&p) != NULL;
		v->guards = p.guards ? p.guards : v->guards;
		progress_end(&bar);
		if (v->list)
			json_array_append_new(v->list, doctor_json(&p));
		else
			print_patient(v->out, &p);
		fflush(v->out);
	}
	doctor_cases_release(cases);
	return 0;
}

/* True when the command names a backend, in whatever version, or none at all. */
static int is_asked_for(const struct texts *names, const char *backend)
{
	struct err ignored = ERR_INIT;
	struct backend_name n;

	for (size_t i = 0; i < names->n; i++)
		if (!backend_name_split(names->at[i], &n, &ignored) && !strcmp(n.name, backend))
			return 1;
	return !names->n;
}

/* Backends for a device that is not here, installed or not: told, and no fault. */
static void tell_absent(const struct doctor_visit *v)
{
	struct err why = ERR_INIT;

	for (const struct spec_backend *b = spec_backends; b->name; b++) {
		if (!is_asked_for(v->names, b->name) || !spec_is_absent(b->name, &why))
			continue;
		if (v->list)
			json_array_append_new(v->list, json_pack("{s:s, s:s, s:o}", "name", b->name, "status",
								 "skipped", "reason", json_text(why.msg)));
		else
			fprintf(v->out, "%-24s skipped: %s\n", b->name, why.msg);
	}
}

int backends_doctor(struct cli *c, const struct texts *names, void *options, struct err *e)
{
	const struct backends_options *o = options;
	struct doctor_visit v = {.out = c->out, .names = names, .list = o->json ? json_array() : NULL};
	char text[256];
	struct spec_installed_list l = VEC_INIT;
	struct lock_list locks = VEC_INIT;
	int status = CLI_OK, rc = spec_find_installed(NULL, &l, e);

	if (!rc)
		rc = backends_check_names(names, &l, e);
	if (!rc)
		rc = install_read_locks(&locks, e);
	if (!rc)
		rc = examine_all(&v, &l, &locks, e);
	if (!rc)
		tell_absent(&v);
	if (!rc && v.guards && !v.list)
		fprintf(c->out, "%s\n", doctor_guards_text(v.guards, text, sizeof text));
	if (!rc && v.list)
		status = cli_print_json(
			c->out, json_pack("{s:O, s:o}", "backends", v.list, "guards", doctor_guards_json(v.guards)));
	else if (!rc && !l.n)
		fputs("nothing is installed; 'assay backends list' shows what can be\n", c->out);
	json_decref(v.list);
	install_locks_release(&locks);
	spec_installed_release(&l);
	return rc ? rc : status ? status : v.broken ? CLI_FINDINGS : CLI_OK;
}
