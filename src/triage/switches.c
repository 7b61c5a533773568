/* switches.c - which of a library's own settings (libraries.h) a finding hangs on: one worker for each try.
 *
 * A setting is guilty when the finding is gone with it.  An optimizer's passes are left out all together, then the
 * list is cut down by halves to those without which the finding stays gone: mostly one. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "libraries/libraries.h"
#include "triage/triage.h"

#define MAX_PASSES 128
#define LIST_SIZE 8192

struct switch_search {
	struct trial *trial;
	const struct party *party;
	int gradient;
};

/* ---- one try ----------------------------------------------------------------------------------------------------- */

/* *gone: the case is right under this spec; not where it cannot be run so. */
static int try_spec(const struct switch_search *s, const struct worker_spec *spec, int *gone, struct err *e)
{
	struct party p = {0};
	struct outcome o = {0};
	struct err absent = ERR_INIT;
	int rc;

	*gone = 0;
	if (party_open_spec(&p, spec, &s->party->limits, &absent))
		return 0;
	rc = s->gradient ? trial_judge_gradients(s->trial, &p, NULL, &o, e) : trial_judge(s->trial, &p, NULL, &o, e);
	*gone = !rc && verdict_is_right(o.verdict);
	outcome_release(&o);
	party_close(&p);
	return rc;
}

static int has_variable(const struct worker_spec *spec, const char *entry)
{
	for (char **v = spec->env; v && *v; v++)
		if (!strcmp(*v, entry))
			return 1;
	return 0;
}

/* True when `with` starts the same library in the same way as `spec`. */
static int is_same(const struct worker_spec *spec, const struct worker_spec *with)
{
	for (size_t i = 0; i < with->n_options; i++) {
		const char *now = spec_option(spec, with->options[i].name);

		if (!now || strcmp(now, with->options[i].value) != 0)
			return 0;
	}
	for (char **v = with->env; v && *v; v++)
		if (!has_variable(spec, *v))
			return 0;
	return 1;
}

/* The party's spec with one more setting. */
static int try_with(const struct switch_search *s, const char *setting, int *gone, struct err *e)
{
	struct worker_spec spec = {0};
	char name[SPEC_PATH];
	struct err unknown = ERR_INIT;
	int rc;

	*gone = 0;
	if (snprintf(name, sizeof name, "%s%c%s", s->party->spec.name, strchr(s->party->spec.name, ':') ? '+' : ':',
		     setting) >= (int)sizeof name ||
	    spec_make(name, &spec, &unknown))
		return 0;
	rc = is_same(&s->party->spec, &spec) ? 0 : try_spec(s, &spec, gone, e);
	spec_release(&spec);
	return rc;
}

/* True when "option=value" holds of the party; "" holds always. */
static int holds(const struct worker_spec *spec, const char *when)
{
	size_t n = strcspn(when, "=");
	char name[64];
	const char *value;

	if (!*when)
		return 1;
	snprintf(name, sizeof name, "%.*s", (int)n, when);
	value = spec_option(spec, name);
	return value && !strcmp(value, when + n + 1);
}

/* ---- passes of an optimizer -------------------------------------------------------------------------------------- */

/* Those that are left out. */
struct left_out {
	const char *option;
	const char *at[MAX_PASSES];
	size_t n;
};

/* Leaves out all but those from `from` up to `to`. */
static int try_without(const struct switch_search *s, const struct left_out *p, size_t from, size_t to, int *gone,
		       struct err *e)
{
	struct worker_spec spec = {0};
	char list[LIST_SIZE] = "";
	size_t used = 0;
	struct err unknown = ERR_INIT;
	int rc;

	*gone = 0;
	for (size_t i = 0; i < p->n; i++)
		if (i < from || i >= to)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "", p->at[i]);
	if (spec_make(s->party->spec.name, &spec, &unknown))
		return 0;
	rc = spec_set_option(&spec, p->option, list, e);
	if (!rc)
		rc = try_spec(s, &spec, gone, e);
	spec_release(&spec);
	return rc;
}

static void put_back(struct left_out *p, size_t from, size_t to)
{
	memmove(p->at + from, p->at + to, (p->n - to) * sizeof *p->at);
	p->n -= to - from;
}

/* Cuts the list down to passes that must all be left out for the finding to go. */
static int cut_down(const struct switch_search *s, struct left_out *p, struct err *e)
{
	for (size_t size = (p->n + 1) / 2; size;) {
		size_t removed = 0;

		for (size_t from = 0; from < p->n && p->n > 1;) {
			size_t to = from + size < p->n ? from + size : p->n;
			int gone = 0, rc = to - from < p->n ? try_without(s, p, from, to, &gone, e) : 0;

			if (rc)
				return rc;
			if (gone) {
				put_back(p, from, to);
				removed++;
			} else {
				from = to;
			}
		}
		if (size > 1)
			size = (size + 1) / 2 < p->n ? (size + 1) / 2 : (p->n + 1) / 2;
		else
			size = removed ? 1 : 0;
		if (p->n == 1)
			break;
	}
	return 0;
}

/* Names the passes of the optimizer that make the difference; *out stays empty when none can be named. */
static int find_passes(const struct switch_search *s, const struct library_passes *passes, char *out, size_t size,
		       struct err *e)
{
	struct left_out p = {.option = passes->option};
	int gone = 0, rc;

	while (passes->names[p.n] && p.n < MAX_PASSES) {
		p.at[p.n] = passes->names[p.n];
		p.n++;
	}
	rc = p.n ? try_without(s, &p, 0, 0, &gone, e) : 0;
	if (!rc && gone)
		rc = cut_down(s, &p, e);
	if (rc || !gone)
		return rc;
	snprintf(out, size, "optimizer %s", p.at[0]);
	for (size_t i = 1; i < p.n; i++) {
		size_t used = strlen(out);

		snprintf(out + used, size - used, " and %s", p.at[i]);
	}
	return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int switches_find(struct trial *t, const struct party *p, const struct outcome *o, char *out, size_t size,
		  struct err *e)
{
	struct switch_search s = {.trial = t, .party = p, .gradient = o->grads != NULL};
	const struct library *library = library_find(p->spec.backend);
	const struct library_switch *now = library ? library->switches : NULL;

	*out = '\0';
	for (; now && now->setting && !*out; now++) {
		int gone, rc;

		if (!holds(&p->spec, now->when))
			continue;
		rc = try_with(&s, now->setting, &gone, e);
		if (!rc && gone && now->passes && o->verdict != VERDICT_HANG)
			rc = find_passes(&s, now->passes, out, size, e);
		if (rc)
			return rc;
		if (gone && !*out)
			snprintf(out, size, "%s", now->says);
	}
	return 0;
}
