/* backends_doctor.c - assay backends doctor: does each installed library work, and if not, what helps?
 *
 * For one library, in this order; the first check that fails ends it:
 *   files    what was unpacked is still as it was (manifest.json)
 *   system   the shared libraries that its lock file names are there
 *   start    its worker starts, opens the library and says HELLO
 *   add, conv  small models give what the reference says, up to rounding noise */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/backends.h"
#include "install/advice.h"
#include "install/doctor_models.h"
#include "install/manifest.h"
#include "judge/judge.h"
#include "worker/parent/worker.h"

enum doctor_outcome { OUTCOME_OK, OUTCOME_SKIPPED, OUTCOME_FAILED };

static const char *const outcome_words[] = {"ok", "skipped", "failed"};

struct doctor_check {
	const char *name;
	enum doctor_outcome outcome;
	char detail[512]; /* what is wrong, or what was seen */
	double ratio;     /* in units of rounding noise; < 0: not compared */
};

#define MAX_CHECKS (3 + DOCTOR_CASES)

/* One library that is being looked at. */
struct patient {
	const struct spec_installed *library;
	const struct doctor_case *cases;
	char backend[160]; /* name@version */
	struct doctor_check checks[MAX_CHECKS];
	size_t n;
	char version[64]; /* what the library says of itself */
	char said[4096];  /* its worker's last words */
	int signal;
	char mend[512];
};

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static struct doctor_check *add_check(struct patient *p, const char *name, enum doctor_outcome outcome,
				      const char *detail)
{
	struct doctor_check *c = &p->checks[p->n++];

	*c = (struct doctor_check){.name = name, .outcome = outcome, .ratio = -1};
	snprintf(c->detail, sizeof c->detail, "%.*s", (int)sizeof c->detail - 1, detail);
	return c;
}

static void check_files(struct patient *p)
{
	struct err e = ERR_INIT;
	int rc = manifest_check(p->library->folder, &e);

	add_check(p, "files", !rc ? OUTCOME_OK : rc == ERR_UNSUPPORTED ? OUTCOME_SKIPPED : OUTCOME_FAILED, e.msg);
}

static void check_system(struct patient *p, const struct lock_list *locks)
{
	const struct lock *l = install_find_lock(locks, p->library->name);
	const struct lock_version *v = l ? lock_find(l, p->library->version) : NULL;
	struct err e = ERR_INIT;

	if (!v)
		add_check(p, "system", OUTCOME_SKIPPED, "this version is in no lock file");
	else
		add_check(p, "system", install_check_needs(v, &e) ? OUTCOME_FAILED : OUTCOME_OK, e.msg);
}

/* Keeps what a worker said for the advice. */
static void keep_words(struct patient *p, const struct worker_report *r)
{
	size_t n;

	p->signal = r->result == WORKER_CRASH ? r->signal : 0;
	n = (size_t)snprintf(p->said, sizeof p->said, "%s", r->stderr_tail);
	while (n && (p->said[n - 1] == '\n' || p->said[n - 1] == ' '))
		p->said[--n] = '\0';
}

static const char *last_line(const char *text)
{
	const char *line = strrchr(text, '\n');

	return line ? line + 1 : text;
}

static struct worker *check_start(struct patient *p, struct worker_spec *spec)
{
	struct worker_limits limits = {0, 0, 0};
	struct worker_report report = {0};
	struct err e = ERR_INIT;
	struct worker *w = NULL;
	int rc = spec_make(p->backend, spec, &e);

	if (!rc) {
		rc = worker_open(spec, &limits, &w, &report, &e);
		keep_words(p, &report);
	}
	if (rc) {
		add_check(p, "start", OUTCOME_FAILED, e.msg);
		return NULL;
	}
	snprintf(p->version, sizeof p->version, "%s", worker_version(w));
	add_check(p, "start", OUTCOME_OK, "");
	return w;
}

/* A request that did not succeed: unsupported is an answer, everything else a fault. */
static void add_refusal(struct patient *p, const char *name, const struct worker_report *r)
{
	char detail[512];

	snprintf(detail, sizeof detail, "%s%s%.400s", worker_result_name(r->result), *r->message ? ": " : "",
		 r->message);
	keep_words(p, r);
	add_check(p, name, r->result == WORKER_UNSUPPORTED ? OUTCOME_SKIPPED : OUTCOME_FAILED, detail);
}

static void add_judgement(struct patient *p, const struct doctor_case *c, const struct value *got)
{
	const struct ref_output *truth = &c->truth.outputs[0];
	struct judgement j;
	struct doctor_check *check;

	if (!got || got->kind != VALUE_TENSOR) {
		add_check(p, c->name, OUTCOME_FAILED, "no tensor came back");
		return;
	}
	judge_tensor(truth->value->tensor, truth->noise, got->tensor, JUDGE_LIMIT, &j);
	check = add_check(p, c->name, verdict_is_finding(j.verdict) ? OUTCOME_FAILED : OUTCOME_OK, j.reason);
	check->ratio = j.ratio;
}

static void check_model(struct patient *p, struct worker *w, const struct doctor_case *c)
{
	const struct named_value in = {"x", c->input};
	static const char *const names[] = {"y"};
	struct named_value *out = NULL;
	struct worker_report report = {0};
	uint64_t session;
	size_t n = 0;

	if (worker_load(w, c->bytes.data, c->bytes.len, NULL, 0, &session, &report) != WORKER_OK ||
	    worker_run(w, session, &in, 1, names, 1, &out, &n, &report) != WORKER_OK) {
		add_refusal(p, c->name, &report);
		return;
	}
	add_judgement(p, c, n == 1 ? out[0].value : NULL);
	worker_values_free(out, n);
	worker_unload(w, session, &report);
}

static const struct doctor_check *first_failed(const struct patient *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->checks[i].outcome == OUTCOME_FAILED)
			return &p->checks[i];
	return NULL;
}

static void find_advice(struct patient *p)
{
	const struct doctor_check *failed = first_failed(p);
	struct failure f = {.backend = p->backend, .said = p->said, .signal = p->signal};

	if (!failed)
		return;
	f.message = failed->detail;
	f.damaged = !strcmp(failed->name, "files");
	advice_for(&f, p->mend, sizeof p->mend);
}

static void examine(struct patient *p, const struct lock_list *locks)
{
	struct worker_spec spec = {0};
	struct worker *w = NULL;

	snprintf(p->backend, sizeof p->backend, "%s@%s", p->library->name, p->library->version);
	check_files(p);
	if (!first_failed(p))
		check_system(p, locks);
	if (!first_failed(p))
		w = check_start(p, &spec);
	for (size_t i = 0; w && i < DOCTOR_CASES && !first_failed(p); i++)
		check_model(p, w, &p->cases[i]);
	worker_close(w);
	spec_release(&spec);
	find_advice(p);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static json_t *check_json(const struct doctor_check *c)
{
	json_t *row = json_pack("{s:s, s:s, s:o}", "check", c->name, "status", outcome_words[c->outcome], "detail",
				json_text(c->detail));

	if (c->ratio >= 0)
		json_object_set_new(row, "noise_ratio", json_real(c->ratio));
	return row;
}

static json_t *patient_json(const struct patient *p)
{
	const struct doctor_check *failed = first_failed(p);
	json_t *checks = json_array();

	for (size_t i = 0; i < p->n; i++)
		json_array_append_new(checks, check_json(&p->checks[i]));
	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "name", json_text(p->library->name), "version",
			 json_text(p->library->version), "path", json_text(p->library->folder), "status",
			 failed ? "broken" : "ok", "reported_version", json_text(p->version), "checks", checks,
			 "problem", json_text(failed ? failed->detail : ""), "mend", json_text(p->mend));
}

static void print_patient(FILE *out, const struct patient *p)
{
	const struct doctor_check *failed = first_failed(p);

	fprintf(out, "%-24s %s", p->backend, failed ? "broken" : "ok");
	for (size_t i = 0; i < p->n; i++) {
		const struct doctor_check *c = &p->checks[i];

		fprintf(out, "%s %s", i ? "," : ":", c->name);
		if (c->ratio >= 0)
			fprintf(out, " %.1f× noise", c->ratio);
		if (c->outcome != OUTCOME_OK)
			fprintf(out, " %s", outcome_words[c->outcome]);
	}
	fputc('\n', out);
	for (size_t i = 0; i < p->n; i++)
		if (p->checks[i].outcome != OUTCOME_OK)
			fprintf(out, "  %s: %s\n", p->checks[i].name, p->checks[i].detail);
	if (failed && *last_line(p->said))
		fprintf(out, "  last words: %s\n", last_line(p->said));
	if (*p->mend)
		fprintf(out, "  to mend it: %s\n", p->mend);
}

/* ---- the subcommand ---------------------------------------------------------------------------------------------- */

/* All named libraries; the number that are broken, in *broken. */
static int examine_all(const struct backends_call *c, const struct spec_installed_list *l,
		       const struct lock_list *locks, json_t *list, size_t *broken, struct err *e)
{
	struct doctor_case cases[DOCTOR_CASES];
	struct progress bar;
	int rc = doctor_cases_make(cases, e);

	if (rc)
		return rc;
	progress_start(&bar, "libraries", l->n);
	for (size_t i = 0; i < l->n; i++) {
		struct patient p = {.library = &l->at[i], .cases = cases};
		struct err absent = ERR_INIT;

		if (!backends_is_named(c, p.library) || backends_absent(p.library->name, &absent))
			continue;
		progress_step(&bar, i, p.library->name);
		examine(&p, locks);
		*broken += first_failed(&p) != NULL;
		progress_end(&bar);
		if (list)
			json_array_append_new(list, patient_json(&p));
		else
			print_patient(c->out, &p);
		fflush(c->out);
	}
	doctor_cases_release(cases);
	return 0;
}

/* True when the command names a backend, in whatever version, or none at all. */
static int is_asked_for(const struct backends_call *c, const char *backend)
{
	struct err ignored = ERR_INIT;
	struct backend_name n;

	for (size_t i = c->first; i < c->names->n; i++)
		if (!backend_name_split(c->names->at[i], &n, &ignored) && !strcmp(n.name, backend))
			return 1;
	return c->first >= c->names->n;
}

/* Backends for a device that is not here, installed or not: told, and no fault. */
static void tell_absent(const struct backends_call *c, json_t *list)
{
	struct err why = ERR_INIT;

	for (const struct spec_backend *b = spec_backends; b->name; b++) {
		if (!is_asked_for(c, b->name) || !backends_absent(b->name, &why))
			continue;
		if (list)
			json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", b->name, "status", "skipped",
							      "reason", json_text(why.msg)));
		else
			fprintf(c->out, "%-24s skipped: %s\n", b->name, why.msg);
	}
}

static int print_list(FILE *out, json_t *list)
{
	json_t *root = json_pack("{s:o}", "backends", list);
	int failed = !root || json_dumpf(root, out, JSON_INDENT(1)) || fputc('\n', out) == EOF;

	json_decref(root);
	return failed ? CLI_FAILED : CLI_OK;
}

int backends_doctor(const struct backends_call *c)
{
	struct spec_installed_list l = VEC_INIT;
	struct lock_list locks = VEC_INIT;
	struct err e = ERR_INIT;
	json_t *list = c->json ? json_array() : NULL;
	size_t broken = 0;
	int status = CLI_OK, rc = spec_find_installed(NULL, &l, &e);

	if (!rc)
		rc = backends_check_names(c, &l, &e);
	if (!rc)
		rc = install_read_locks(&locks, &e);
	if (!rc)
		rc = examine_all(c, &l, &locks, list, &broken, &e);
	if (!rc)
		tell_absent(c, list);
	if (!rc && list)
		status = print_list(c->out, json_incref(list));
	else if (!rc && !l.n)
		fputs("nothing is installed; 'assay backends list' shows what can be\n", c->out);
	json_decref(list);
	install_locks_release(&locks);
	spec_installed_release(&l);
	if (rc)
		return cli_fail(&e);
	return status ? status : broken ? CLI_FINDINGS : CLI_OK;
}
