/* doctor.c - see doctor.h. */
#include "install/doctor.h"

#include <stdio.h>
#include <string.h>

#include "install/advice.h"
#include "install/manifest.h"
#include "judge/judge.h"
#include "worker/guards.h"

const char *doctor_status_name(enum doctor_status s)
{
	static const char *const words[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_SKIPPED] = "skipped", [DOCTOR_FAILED] = "failed"};

	return words[s];
}

const struct doctor_check *doctor_failed(const struct doctor_patient *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->checks[i].status == DOCTOR_FAILED)
			return &p->checks[i];
	return NULL;
}

static const char *guard_name(enum guard g)
{
	static const char *const words[] = {
#define X(id, word) [id] = word,
		GUARD_MAP(X)
#undef X
	};

	return words[g];
}

/* Those that are there, or those that are not. */
static size_t add_guards(unsigned guards, int there, const char *before, char *out, size_t size, size_t n)
{
	for (enum guard g = 0; g < GUARD_COUNT; g++)
		if (!(guards & GUARD_BIT(g)) == !there && n < size) {
			n += (size_t)snprintf(out + n, size - n, "%s%s", before, guard_name(g));
			before = ", ";
		}
	return n;
}

const char *doctor_guards_text(unsigned guards, char *out, size_t size)
{
	size_t n = add_guards(guards, 1, "workers are held by ", out, size, 0);

	add_guards(guards, 0, "; not here: ", out, size, n);
	return out;
}

json_t *doctor_guards_json(unsigned guards)
{
	json_t *there = json_array();

	for (enum guard g = 0; g < GUARD_COUNT; g++)
		if (guards & GUARD_BIT(g))
			json_array_append_new(there, json_string(guard_name(g)));
	return there;
}

static struct doctor_check *add_check(struct doctor_patient *p, const char *name, enum doctor_status status,
				      const char *detail)
{
	struct doctor_check *c = &p->checks[p->n++];

	*c = (struct doctor_check){.name = name, .status = status, .ratio = -1};
	snprintf(c->detail, sizeof c->detail, "%.*s", (int)sizeof c->detail - 1, detail);
	return c;
}

/* ---- what is installed ------------------------------------------------------------------------------------------- */

static void check_files(struct doctor_patient *p)
{
	struct err e = ERR_INIT;
	int rc = manifest_check(p->library->folder, &e);

	add_check(p, "files", !rc ? DOCTOR_OK : rc == ERR_UNSUPPORTED ? DOCTOR_SKIPPED : DOCTOR_FAILED, e.msg);
}

static void check_system(struct doctor_patient *p, const struct lock_list *locks)
{
	const struct lock *l = install_find_lock(locks, p->library->name);
	const struct lock_version *v = l ? lock_find(l, p->library->version) : NULL;
	struct err e = ERR_INIT;

	if (!v)
		add_check(p, "system", DOCTOR_SKIPPED, "this version is in no lock file");
	else
		add_check(p, "system", install_check_needs(v, &e) ? DOCTOR_FAILED : DOCTOR_OK, e.msg);
}

/* ---- whether it runs --------------------------------------------------------------------------------------------- */

/* Keeps what a worker said for the advice. */
static void keep_words(struct doctor_patient *p, const struct worker_report *r)
{
	size_t n;

	p->signal = r->result == WORKER_CRASH ? r->signal : 0;
	n = (size_t)snprintf(p->said, sizeof p->said, "%s", r->stderr_tail);
	while (n && (p->said[n - 1] == '\n' || p->said[n - 1] == ' '))
		p->said[--n] = '\0';
}

/* Not through party_open(): the report of a start that failed is what there is to look at. */
static int check_start(struct doctor_patient *p, struct party *out)
{
	struct worker_report report = {0};
	struct err e = ERR_INIT;
	int rc = spec_make(p->backend, &out->spec, &e);

	if (!rc) {
		rc = worker_open(&out->spec, &out->limits, &out->worker, &report, &e);
		keep_words(p, &report);
	}
	if (!rc) {
		snprintf(p->version, sizeof p->version, "%s", party_version(out));
		p->guards = worker_guards(out->worker);
	}
	add_check(p, "start", rc ? DOCTOR_FAILED : DOCTOR_OK, rc ? e.msg : "");
	return rc;
}

/* A request that did not succeed: unsupported is an answer, everything else a fault. */
static void add_refusal(struct doctor_patient *p, const char *name, const struct worker_report *r)
{
	char detail[512];

	snprintf(detail, sizeof detail, "%s%s%.400s", worker_result_name(r->result), *r->message ? ": " : "",
		 r->message);
	keep_words(p, r);
	add_check(p, name, r->result == WORKER_UNSUPPORTED ? DOCTOR_SKIPPED : DOCTOR_FAILED, detail);
}

static void check_model(struct doctor_patient *p, struct party *party, struct doctor_case *c)
{
	struct outcome o = {0};
	struct err e = ERR_INIT;

	if (trial_judge(&c->trial, party, NULL, &o, &e)) {
		add_check(p, c->name, DOCTOR_FAILED, e.msg);
		return;
	}
	if (o.report.result != WORKER_OK)
		add_refusal(p, c->name, &o.report);
	else
		add_check(p, c->name, verdict_is_finding(o.verdict) ? DOCTOR_FAILED : DOCTOR_OK, o.judged[0].reason)
			->ratio = o.ratio;
	outcome_release(&o);
}

static void find_advice(struct doctor_patient *p)
{
	const struct doctor_check *failed = doctor_failed(p);
	struct failure f = {.backend = p->backend, .said = p->said, .signal = p->signal};

	if (!failed)
		return;
	f.message = failed->detail;
	f.damaged = !strcmp(failed->name, "files");
	advice_for(&f, p->mend, sizeof p->mend);
}

void doctor_examine(const struct spec_installed *library, struct doctor_case cases[DOCTOR_CASES],
		    const struct lock_list *locks, struct doctor_patient *out)
{
	struct doctor_patient *p = out;
	struct party party = {0};

	*p = (struct doctor_patient){.library = library};
	snprintf(p->backend, sizeof p->backend, "%s@%s", library->name, library->version);
	check_files(p);
	if (!doctor_failed(p))
		check_system(p, locks);
	if (!doctor_failed(p) && !check_start(p, &party))
		for (size_t i = 0; i < DOCTOR_CASES && !doctor_failed(p); i++)
			check_model(p, &party, &cases[i]);
	party_close(&party);
	find_advice(p);
}
