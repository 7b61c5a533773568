/* cmd_findings.c - assay findings: what was found and kept in a store. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/terminal.h"
#include "triage/triage.h"

int cmd_findings(struct cli *c);

static const struct {
	const char *name;
	int (*run)(const struct findings_call *c);
	const char *summary;
} subcommands[] = {
	{"list", findings_list, "a line for each cluster; with --all for each finding (the default)"},
	{"show", findings_show, "all that is known of one finding"},
	{"export", findings_export, "a folder with all that its maintainers need"},
	{"merge", findings_merge, "take over the findings of other stores"},
};

#define N_SUBCOMMANDS (sizeof subcommands / sizeof *subcommands)

static const char notes[] =
	"subcommands:\n"
	"  list                       a line for each cluster of findings; with --all for each finding (the default)\n"
	"  show N                     all that is known of finding N: what was run, what came out, what is right, "
	"where\n"
	"  export N [-o DIR]          a folder with model, inputs, right outputs, README.md and programs that show it "
	"(finding-N)\n"
	"  merge DB…                  take over the findings of other stores that are not here yet\n"
	"\n"
	"A cluster is what probably is one defect; its number is the one of its best example.  'ratio' is how many "
	"times\n"
	"larger than rounding noise the deviation is.  docs/findings.md tells more.\n";

/* ---- shared by the subcommands ----------------------------------------------------------------------------------- */

int findings_open(const struct findings_call *c, struct store **out, struct err *e)
{
	int rc = store_open(c->db ? c->db : "", 0, out, e);
	size_t n = strlen(e->msg);

	if (rc == ERR_INPUT && !strncmp(e->msg, "there is no", 11))
		snprintf(e->msg + n, sizeof e->msg - n,
			 "; check, search, equiv, swap and fuzz make one when they find something, --db FILE names "
			 "another");
	return rc;
}

static int read_id(const struct findings_call *c, int64_t *out, struct err *e)
{
	const char *word;
	char *end;

	if (c->words->n != c->first + 1)
		return err_set(e, ERR_USAGE, "findings %s needs the number of one finding; 'assay findings' lists them",
			       c->words->at[c->first - 1]);
	word = c->words->at[c->first];
	errno = 0;
	*out = strtoll(word, &end, 10);
	if (errno || *end || end == word || *out < 1)
		return err_set(e, ERR_USAGE, "'%s' is no number of a finding; 'assay findings' lists them", word);
	return 0;
}

int findings_find(const struct findings_call *c, struct store **s, struct finding *f, struct err *e)
{
	int64_t id = 0;
	int rc = read_id(c, &id, e);

	*s = NULL;
	*f = (struct finding){0};
	if (!rc)
		rc = findings_open(c, s, e);
	return rc ? rc : store_get(*s, id, f, e);
}

int findings_export(const struct findings_call *c)
{
	struct err e = ERR_INIT;
	struct store *s;
	struct finding f;
	char own[32];
	const char *folder = c->output ? c->output : own;
	int rc = findings_find(c, &s, &f, &e);

	if (!rc) {
		snprintf(own, sizeof own, "finding-%" PRId64, f.id);
		rc = bundle_write(&f, folder, &e);
		if (rc)
			err_prefix(&e, "finding %" PRId64, f.id);
	}
	if (!rc)
		fprintf(c->out, "finding %" PRId64 ": written to '%s'; its README.md tells more\n", f.id, folder);
	finding_release(&f);
	store_close(s);
	return rc ? cli_fail(&e) : CLI_OK;
}

int findings_merge(const struct findings_call *c)
{
	struct err e = ERR_INIT;
	struct store *s = NULL;
	size_t added = 0;
	int rc = 0;

	if (c->words->n == c->first)
		rc = err_set(&e, ERR_USAGE, "findings merge needs the path of another store");
	if (!rc)
		rc = store_open(c->db ? c->db : "", 1, &s, &e);
	for (size_t i = c->first; i < c->words->n && !rc; i++) {
		rc = store_merge(s, c->words->at[i], &added, &e);
		if (!rc)
			fprintf(c->out, "%s: %zu finding%s added to '%s'\n", c->words->at[i], added,
				added == 1 ? "" : "s", store_path(s));
	}
	if (!rc)
		rc = cluster_all(s, NULL, &e);
	store_close(s);
	return rc ? cli_fail(&e) : CLI_OK;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int check_verdict(const char *word, struct err *e)
{
	enum verdict ignored;

	if (!word || verdict_find(word, &ignored))
		return 0;
	return err_set(e, ERR_USAGE,
		       "--verdict: there is no verdict '%s'; choose one of wrong, nan, crash, hang, oom, "
		       "rejected, accepted, flaky, …",
		       word);
}

static int run(struct findings_call *call)
{
	struct err e = ERR_INIT;
	size_t i = 0;

	if (check_verdict(call->filter.verdict, &e))
		return cli_fail(&e);
	while (call->words->n && i < N_SUBCOMMANDS && strcmp(subcommands[i].name, call->words->at[0]) != 0)
		i++;
	call->first = call->words->n ? 1 : 0;
	if (i < N_SUBCOMMANDS)
		return subcommands[i].run(call);
	err_set(&e, ERR_USAGE, "findings has no '%s'; see 'assay help findings'", call->words->at[0]);
	return cli_fail(&e);
}

static int complete_id(const struct finding *f, void *arg)
{
	const struct cli *c = arg;
	struct buf text;

	buf_init(&text, 1024);
	term_put(&text, f->library, 40);
	buf_puts(&text, " ");
	term_put(&text, f->version, 20);
	fprintf(c->out, "%" PRId64 "\t%s %s\n", f->id, text.data ? text.data : "", finding_does(f));
	buf_release(&text);
	return 0;
}

/* Words that may follow: subcommands, then the findings of the default store. */
static void complete(struct cli *c)
{
	struct err ignored = ERR_INIT;
	struct store *s;

	for (size_t i = 0; !c->argc && i < N_SUBCOMMANDS; i++)
		fprintf(c->out, "%s\t%s\n", subcommands[i].name, subcommands[i].summary);
	if (c->argc != 1 || (strcmp(c->argv[0], "show") != 0 && strcmp(c->argv[0], "export") != 0) ||
	    store_open("", 0, &s, &ignored))
		return;
	store_each(s, NULL, complete_id, c, &ignored);
	store_close(s);
}

int cmd_findings(struct cli *c)
{
	struct texts rest = {0};
	struct findings_call call = {.out = c->out, .words = &rest};
	const struct cli_option options[] = {
		{0, "db", "FILE", CLI_STRING, &call.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "all", NULL, CLI_FLAG, &call.all, "list: each finding, not each cluster"},
		{'b', "backend", "NAME", CLI_STRING, &call.filter.backend,
		 "list: only of this backend or library, of any version when none is named"},
		{0, "verdict", "WORD", CLI_STRING, &call.filter.verdict, "list: only with this verdict"},
		{0, "op", "OPERATOR", CLI_STRING, &call.filter.op, "list: only where this operator is blamed"},
		{0, "method", "VERB", CLI_STRING, &call.filter.method, "list: only found by this verb"},
		{0, "cluster", "N", CLI_INT, &call.cluster, "list: each finding of this cluster"},
		{'o', "output", "DIR", CLI_STRING, &call.output, "export: the folder (finding-N)"},
		{0, "json", NULL, CLI_FLAG, &call.json, "list, show: print the result as JSON"},
		{0},
	};
	struct err e = ERR_INIT;
	int rc, status;

	c->notes = notes;
	if (c->complete)
		complete(c);
	rc = cli_parse(c, options, &rest, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	status = run(&call);
	vec_release(&rest);
	return status;
}
