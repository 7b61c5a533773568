/* switches.c - with which of a library's own settings (libraries.h) a finding is gone: one worker for each try.
 *
 * All that are enough alone are named, or, without such a one, pairs and sets (cures.h).  In the place of a setting
 * that turns an optimizer off its passes are named, those that it is enough to leave out.  None of them need be the
 * cause: what is named is sufficient, and was tried. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "libraries/libraries.h"
#include "triage/switches.h"

#define MAX_LIST ((size_t)64 << 10)
#define SECONDS 60      /* for naming passes, where the case says nothing */
#define BETWEEN ", or " /* sets */

struct switch_search {
	const struct switch_case *of;
	/* Settings that may be tried: rows of the library, which its bit in struct switches counts. */
	const struct library_switch *rows[SWITCH_ROWS];
	unsigned bits[SWITCH_ROWS];
	size_t n_rows;
	const struct library_passes *passes; /* whose passes are left out now */
	double deadline;                     /* for tries without passes; 0: none */
	int is_late;                         /* … one was not made because of it */
	enum verdict verdict;                /* of the last try */
};

/* ---- one try ----------------------------------------------------------------------------------------------------- */

/* *gone: the case is right under this spec; not where it cannot be run so. */
static int try_spec(struct switch_search *s, const struct worker_spec *spec, int *gone, struct err *e)
{
	struct party p = {0};
	struct outcome o = {0};
	struct err absent = ERR_INIT;
	int rc;

	*gone = 0;
	s->verdict = VERDICT_UNSUPPORTED;
	if (party_open_spec(&p, spec, &s->of->party->limits, &absent))
		return 0;
	rc = s->of->gradient ? trial_judge_gradients(s->of->trial, &p, NULL, &o, e)
			     : trial_judge(s->of->trial, &p, NULL, &o, e);
	*gone = !rc && verdict_is_right(o.verdict);
	s->verdict = o.verdict;
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

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* The party's spec with some settings more; 0 when there is no such, or it is the party's own. */
static int spec_with(const struct switch_search *s, const struct cure *set, struct worker_spec *out)
{
	struct err unknown = ERR_INIT;
	struct buf name;
	int made;

	buf_init(&name, SPEC_PATH);
	buf_puts(&name, s->of->party->spec.name);
	for (size_t i = 0; i < set->n; i++)
		buf_printf(&name, "%c%s", strchr(name.data, ':') ? '+' : ':', s->rows[set->at[i]]->setting);
	made = !buf_check(&name, &unknown) && !spec_make(name.data, out, &unknown);
	buf_release(&name);
	if (made && is_same(&s->of->party->spec, out)) {
		spec_release(out);
		made = 0;
	}
	return made;
}

static int try_settings(void *arg, const struct cure *set, int *gone, struct err *e)
{
	struct switch_search *s = arg;
	struct worker_spec spec = {0};
	int rc;

	*gone = 0;
	if (set->n > 1 && s->of->verdict == VERDICT_HANG) /* each try that does not help takes the whole time */
		return 0;
	if (!spec_with(s, set, &spec))
		return 0;
	rc = try_spec(s, &spec, gone, e);
	spec_release(&spec);
	return rc;
}

/* ---- passes of an optimizer -------------------------------------------------------------------------------------- */

/* "A,B": what the option takes, behind what the party leaves out already. */
static void list_passes(const struct switch_search *s, const struct cure *set, struct buf *out)
{
	const char *already = spec_option(&s->of->party->spec, s->passes->option);

	buf_puts(out, already ? already : "");
	for (size_t i = 0; i < set->n; i++)
		buf_printf(out, "%s%s", out->len ? "," : "", s->passes->names[set->at[i]]);
}

static int try_without(void *arg, const struct cure *set, int *gone, struct err *e)
{
	struct switch_search *s = arg;
	struct worker_spec spec = {0};
	struct err unknown = ERR_INIT;
	struct buf list;
	int rc;

	*gone = 0;
	s->is_late |= s->deadline > 0 && clock_now() >= s->deadline;
	if (s->is_late || spec_make(s->of->party->spec.name, &spec, &unknown))
		return 0;
	buf_init(&list, MAX_LIST);
	list_passes(s, set, &list);
	rc = buf_check(&list, e);
	if (!rc)
		rc = spec_set_option(&spec, s->passes->option, list.data ? list.data : "", e);
	if (!rc)
		rc = try_spec(s, &spec, gone, e);
	buf_release(&list);
	spec_release(&spec);
	return rc;
}

static size_t count_passes(const struct library_passes *p)
{
	size_t n = 0;

	while (p->names[n] && n < CURE_ITEMS)
		n++;
	return n;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* One more set; what there is no room for is left out as a whole. */
static void say(struct switches *out, const char *set)
{
	size_t used = strlen(out->words), n = strlen(set) + (used ? strlen(BETWEEN) : 0);

	out->n++;
	if (used + n < sizeof out->words)
		snprintf(out->words + used, sizeof out->words - used, "%s%s", used ? BETWEEN : "", set);
}

/* "optimizer A and B", or "threads and oneDNN kernels". */
static int say_set(const struct switch_search *s, const struct cure *set, int passes, struct switches *out,
		   struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, MAX_LIST);
	buf_puts(&text, passes ? "optimizer " : "");
	for (size_t i = 0; i < set->n; i++)
		buf_printf(&text, "%s%s", i ? " and " : "",
			   passes ? s->passes->names[set->at[i]] : s->rows[set->at[i]]->says);
	rc = buf_check(&text, e);
	if (!rc)
		say(out, text.data);
	buf_release(&text);
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static struct switch_search search_of(const struct switch_case *c)
{
	struct switch_search s = {.of = c};
	const struct library *library = library_find(c->party->spec.backend);
	const struct library_switch *row = library ? library->switches : NULL;

	for (unsigned bit = 0; row && row->setting && s.n_rows < SWITCH_ROWS; row++, bit++)
		if (holds(&c->party->spec, row->when)) {
			s.bits[s.n_rows] = 1u << bit;
			s.rows[s.n_rows++] = row;
		}
	return s;
}

/* All passes but these. */
static struct cure others_than(const struct library_passes *p, const struct cure *set)
{
	struct cure others = {.n = 0};
	size_t n = count_passes(p);

	for (size_t i = 0; i < n; i++)
		if (!memchr(set->at, (int)i, set->n))
			others.at[others.n++] = (unsigned char)i;
	return others;
}

static int try_alone(void *arg, const struct cure *set, int *there, struct err *e)
{
	struct switch_search *s = arg;
	const struct cure others = others_than(s->passes, set);
	int gone, rc = try_without(s, &others, &gone, e);

	*there = !rc && s->verdict == s->of->verdict;
	return rc;
}

/* *there: it is, when a library runs these two passes and no others, in this order. */
static int try_in_order(struct switch_search *s, int first, int second, int *there, struct err *e)
{
	struct worker_spec spec = {0};
	struct err unknown = ERR_INIT;
	char list[256];
	int gone, rc;

	*there = 0;
	snprintf(list, sizeof list, "%s,%s", s->passes->names[first], s->passes->names[second]);
	if (spec_make(s->of->party->spec.name, &spec, &unknown))
		return 0;
	rc = spec_set_option(&spec, s->passes->ordered, list, e);
	if (!rc)
		rc = try_spec(s, &spec, &gone, e);
	*there = !rc && s->verdict == s->of->verdict;
	spec_release(&spec);
	return rc;
}

/* Two passes as they are named: in the order in which they do it, and behind that whether it is the only one. */
static int order_pair(struct switch_search *s, struct cure *pair, const char **words, struct err *e)
{
	int as_named, turned, first = pair->at[0], second = pair->at[1];
	int rc = try_in_order(s, first, second, &as_named, e);

	if (!rc)
		rc = try_in_order(s, second, first, &turned, e);
	if (rc || (!as_named && !turned))
		return rc;
	*words = as_named && turned ? ", in either order" : ", in this order alone";
	if (!as_named) {
		pair->at[0] = (unsigned char)second;
		pair->at[1] = (unsigned char)first;
	}
	return 0;
}

/* Which passes do it: one alone, a pair where no single one does, or more. */
static int name_makers(struct switch_search *s, const struct cures *cures, struct switches *out, struct err *e)
{
	const char *order = "";
	struct cure set = {.n = 0};
	int rc = cures_maker(cures, try_alone, s, &set, e);

	if (!rc && set.n == 2 && s->passes->ordered && !s->is_late)
		rc = order_pair(s, &set, &order, e);
	for (size_t i = 0, used = 0; i < set.n && !rc && !s->is_late && used < sizeof out->made_by; i++)
		used += (size_t)snprintf(out->made_by + used, sizeof out->made_by - used, "%s%s%s", i ? " and " : "",
					 s->passes->names[set.at[i]], i + 1 == set.n ? order : "");
	return rc;
}

/* Passes that it is enough to leave out; nothing is said when none can be named, or not in time: each try is a worker
 * more, which some libraries take seconds to start. */
static int name_passes(struct switch_search *s, const struct library_passes *passes, struct switches *out,
		       struct err *e)
{
	struct cures cures;
	int rc;

	s->passes = passes;
	s->deadline = clock_now() + (s->of->seconds > 0 ? s->of->seconds : clock_patience(SECONDS));
	rc = cures_of_many(count_passes(passes), try_without, s, &cures, e);
	if (s->is_late)
		return rc;
	for (size_t i = 0; i < cures.n && !rc; i++)
		rc = say_set(s, &cures.at[i], 1, out, e);
	if (rc || !cures.n || out->passes)
		return rc;
	out->passes = passes;
	out->left_out = cures.at[0];
	return name_makers(s, &cures, out, e);
}

int switches_find(const struct switch_case *c, struct switches *out, struct err *e)
{
	struct switch_search s = search_of(c);
	struct cures cures;
	int rc;

	*out = (struct switches){.alone = 0};
	rc = cures_of_few(s.n_rows, try_settings, &s, &cures, e);
	for (size_t i = 0; i < cures.n && !rc; i++) {
		const struct cure *set = &cures.at[i];
		const struct library_passes *passes = set->n == 1 ? s.rows[set->at[0]]->passes : NULL;
		size_t before = out->n;

		if (set->n == 1)
			out->alone |= s.bits[set->at[0]];
		if (passes && c->verdict != VERDICT_HANG)
			rc = name_passes(&s, passes, out, e);
		if (!rc && out->n == before)
			rc = say_set(&s, set, 0, out, e);
	}
	return rc;
}

int switches_alone(const struct switch_case *c, unsigned *alone, struct err *e)
{
	struct switch_search s = search_of(c);
	int rc = 0;

	*alone = 0;
	for (size_t i = 0; i < s.n_rows && !rc; i++) {
		const struct cure one = {{(unsigned char)i}, 1};
		int gone;

		rc = try_settings(&s, &one, &gone, e);
		if (!rc && gone)
			*alone |= s.bits[i];
	}
	return rc;
}

int switches_matter(const struct switch_case *c, const struct switches *of, int *matter, struct err *e)
{
	struct switch_search s = search_of(c);
	struct cure others;
	int gone, rc;

	*matter = 1;
	if (!of->passes)
		return 0;
	s.passes = of->passes;
	rc = try_without(&s, &of->left_out, &gone, e);
	if (rc || gone)
		return rc;
	others = others_than(of->passes, &of->left_out);
	rc = try_without(&s, &others, &gone, e);
	*matter = !rc && s.verdict == c->verdict;
	return rc;
}
