/* cmd_worker_test.c - assay worker-test: what a worker gets wrong. */
#include "cli/cli.h"
#include "worker/parent/exam.h"

int cmd_worker_test(struct cli *c);

static int run(struct cli *c, const struct texts *words, void *arg, struct err *e)
{
	const struct exam_request *q = arg;
	struct exam_lines l;
	int rc = exam_command((const char *const *)words->at, words->n, q, &l, e);

	if (rc)
		return rc;
	rc = q->json ? cli_print_json(c->out, exam_json(&l)) : exam_write(&l, c->out);
	rc = rc ? CLI_FAILED : exam_count(&l, EXAM_OK) == l.n ? CLI_OK : CLI_FINDINGS;
	exam_release(&l);
	return rc;
}

int cmd_worker_test(struct cli *c)
{
	struct exam_request q = {0};
	const struct cli_option options[] = {
		{0, "timeout", "SECONDS", CLI_ABOVE0, &q.limits.run_seconds, "time for an answer (default: 30)"},
		{0, "json", NULL, CLI_FLAG, &q.json, "print the result as JSON"},
		{0},
	};

	c->notes = "CMD is what -b exec: takes, in one word or several.  Exit status 1 when a check fails.\n";
	return cli_main(c, options, run, &q);
}
