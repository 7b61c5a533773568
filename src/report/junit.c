/* junit.c - findings as JUnit XML, for build servers: one suite a backend, one failed test a cluster and backend; and
 * one test a run (of check and swap: a model), passed, or skipped where nothing was judged.
 *
 * There is no one JUnit schema.  What is written satisfies both that are in common use: that of the Ant task (strict:
 * every attribute required, numbers, properties and outputs present) and that of the Jenkins plug-in. */
#include "report/digest.h"
#include "report/report.h"
#include "report/text.h"

#include <string.h>
#include <time.h>

#define MAX_WHY 65536

/* The smallest id that a cluster has on a backend; 0: none. */
static int64_t example_on(const struct digest_cluster *c, const char *backend)
{
	int64_t best = 0;

	if (!strcmp(c->best.backend, backend))
		return c->best.id;
	for (size_t i = 0; i < c->findings.n && !best; i++)
		if (!strcmp(c->findings.at[i].backend, backend))
			best = c->findings.at[i].id;
	return best;
}

/* Wrong answers are failures, what ended without an answer is an error. */
static const char *element_of(enum verdict v)
{
	return verdict_is_of_numbers(v) || v == VERDICT_ACCEPTED ? "failure" : "error";
}

static void put_case(struct buf *out, const struct digest_cluster *c, int64_t id)
{
	const struct finding *f = &c->best;
	const char *element = element_of(f->verdict);
	char number[32];

	buf_puts(out, "    <testcase name=\"");
	text_put(out, digest_op(c));
	buf_printf(out, " %s #%lld\"", verdict_name(f->verdict), (long long)id);
	text_attribute(out, "classname", f->library);
	buf_printf(out, " time=\"0\">\n      <%s", element);
	text_attribute(out, "message", f->detail);
	text_attribute(out, "type", verdict_name(f->verdict));
	buf_puts(out, ">");
	text_put(out, f->detail);
	buf_puts(out, "\nsignature: ");
	text_put(out, f->signature);
	buf_printf(out, "\nnoise ratio: %s\nnodes: %d\nfindings: %zu\n", text_number(f->noise_ratio, number), f->nodes,
		   c->findings.n);
	if (*f->since) {
		buf_puts(out, "bad since: ");
		text_put(out, f->since);
		buf_puts(out, "\n");
	}
	buf_puts(out, "repro: ");
	text_put(out, digest_repro(c, id));
	buf_printf(out, "</%s>\n    </testcase>\n", element);
}

/* A run of which no finding tells: those are tests of their own. */
static int is_test(const struct store_tally *t, const char *backend)
{
	enum verdict v;

	return !strcmp(t->backend, backend) && !(verdict_find(t->verdict, &v) && verdict_is_finding(v));
}

static void put_run(struct buf *out, const struct store_tally *t)
{
	struct buf why;

	buf_printf(out, "    <testcase name=\"");
	text_put(out, t->method);
	buf_puts(out, *t->model ? " " : "");
	text_put(out, t->model);
	buf_printf(out, ", run %lld\"", (long long)t->campaign);
	text_attribute(out, "classname", t->backend);
	buf_puts(out, " time=\"0\"");
	if (!tally_is_hollow(&t->tally)) {
		buf_puts(out, "/>\n");
		return;
	}
	buf_init(&why, MAX_WHY);
	digest_why_hollow(t, &why);
	buf_puts(out, ">\n      <skipped>");
	text_put(out, why.data ? why.data : "");
	buf_puts(out, "</skipped>\n    </testcase>\n");
	buf_release(&why);
}

static void put_suite(struct buf *out, const struct digest *d, const char *backend, size_t number)
{
	size_t failures = 0, errors = 0, runs = 0;
	char stamp[32] = "1970-01-01T00:00:00";
	time_t t = d->last < 1e11 ? (time_t)d->last : 0;
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &tm);
	for (size_t i = 0; i < d->clusters.n; i++)
		if (example_on(&d->clusters.at[i], backend)) {
			if (!strcmp(element_of(d->clusters.at[i].best.verdict), "error"))
				errors++;
			else
				failures++;
		}
	for (size_t i = 0; i < d->tallies.n; i++)
		runs += (size_t)is_test(&d->tallies.at[i], backend);
	buf_puts(out, "  <testsuite");
	text_attribute(out, "name", backend);
	buf_printf(out,
		   " package=\"assay\" id=\"%zu\" timestamp=\"%s\" hostname=\"localhost\" tests=\"%zu\" "
		   "failures=\"%zu\" errors=\"%zu\" time=\"0\">\n    <properties>\n      <property name=\"tool\" "
		   "value=\"assay " ASSAY_VERSION "\"/>\n    </properties>\n",
		   number, stamp, failures + errors + runs, failures, errors);
	for (size_t i = 0; i < d->clusters.n; i++) {
		int64_t id = example_on(&d->clusters.at[i], backend);

		if (id)
			put_case(out, &d->clusters.at[i], id);
	}
	for (size_t i = 0; i < d->tallies.n; i++)
		if (is_test(&d->tallies.at[i], backend))
			put_run(out, &d->tallies.at[i]);
	buf_puts(out, "    <system-out/>\n    <system-err/>\n  </testsuite>\n");
}

struct suites {
	const struct digest *d;
	struct buf *out;
	struct map seen; /* backends */
	size_t n;
};

static int add_suite(struct suites *s, const char *backend, struct err *e)
{
	if (map_get(&s->seen, backend))
		return 0;
	if (map_put(&s->seen, backend, s))
		return err_nomem(e, "a report", 0);
	put_suite(s->out, s->d, backend, s->n++);
	return 0;
}

int report_junit(struct store *s, struct buf *out, struct err *e)
{
	struct digest d;
	struct suites suites = {.d = &d, .out = out, .seen = MAP_INIT};
	int rc = digest_make(s, &d, e);

	if (rc)
		return rc;
	buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (size_t i = 0; i < d.clusters.n && !rc; i++)
		for (size_t k = 0; k < d.clusters.at[i].findings.n && !rc; k++)
			rc = add_suite(&suites, d.clusters.at[i].findings.at[k].backend, e);
	for (size_t i = 0; i < d.tallies.n && !rc; i++)
		rc = add_suite(&suites, d.tallies.at[i].backend, e);
	buf_puts(out, "</testsuites>\n");
	map_release(&suites.seen);
	digest_release(&d);
	return rc ? rc : buf_check(out, e);
}
