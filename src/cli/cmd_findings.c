/* cmd_findings.c - assay findings: what was found and kept in a store. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/findings.h"
#include "cli/terminal.h"
#include "report/text.h"
#include "triage/triage.h"

int cmd_findings(struct cli *c);

#define ONE "the number of one finding; 'assay findings' lists them"

static const struct cli_action actions[] = {
	{"list", findings_list, 0, NULL, "a line for each cluster; with --all for each finding (the default)"},
	{"show", findings_show, 1, ONE, "all that is known of one finding"},
	{"export", findings_export, 1, ONE, "a folder with all that its maintainers need"},
	{"merge", findings_merge, 1, "the path of another store", "take over the findings of other stores"},
	{0},
};

static const char notes[] =
	"subcommands:\n"
	"  list                       a line for each cluster of findings; with --all for each finding (the default)\n"
	"  show N                     all that is known of finding N: what was run, what came out, what is expected\n"
	"  export N [-o DIR]          a folder (finding-N) to send: model, inputs, expected outputs, README.md and\n"
	"                             programs that show the finding\n"
	"  merge DB…                  take over the findings of other stores that are not here yet\n"
	"\n"
	"A cluster is what probably is one defect; its number is the one of its best example.  'ratio' is how many\n"
	"times larger than the rounding noise the difference is.  See docs/findings.md.\n";

/* ---- shared by the subcommands ----------------------------------------------------------------------------------- */

int findings_open(const struct findings_options *o, struct store **out, struct err *e)
{
	return store_open(o->db ? o->db : "", 0, out, e);
}

int findings_find(const struct findings_options *o, const struct texts *words, struct store **s, struct finding *f,
		  struct err *e)
{
	char *end;
	int64_t id;
	int rc;

	*s = NULL;
	*f = (struct finding){0};
	if (words->n != 1)
		return err_set(e, ERR_USAGE, "one finding at a time, not '%s' as well; 'assay findings' lists them",
			       words->at[1]);
	errno = 0;
	id = strtoll(words->at[0], &end, 10);
	if (errno || *end || end == words->at[0] || id < 1)
		return err_set(e, ERR_USAGE, "'%s' is not the number of a finding; 'assay findings' lists them",
			       words->at[0]);
	rc = findings_open(o, s, e);
	return rc ? rc : store_get(*s, id, f, e);
}

int findings_export(struct cli *c, const struct texts *words, void *options, struct err *e)
{
	const struct findings_options *o = options;
	struct store *s;
	struct finding f;
	char own[32];
	const char *folder = o->output ? o->output : own;
	int rc = findings_find(o, words, &s, &f, e);

	if (!rc) {
		snprintf(own, sizeof own, "finding-%" PRId64, f.id);
		rc = bundle_write(&f, NULL, folder, e);
		if (rc)
			err_prefix(e, "finding %" PRId64, f.id);
	}
	if (!rc && o->json)
		rc = cli_print_json(c->out, json_pack("{s:I, s:o}", "id", (json_int_t)f.id, "path", json_text(folder)));
	else if (!rc)
		fprintf(c->out, "finding %" PRId64 ": written to '%s'; see its README.md\n", f.id, folder);
	finding_release(&f);
	store_close(s);
	return rc;
}

int findings_merge(struct cli *c, const struct texts *words, void *options, struct err *e)
{
	const struct findings_options *o = options;
	json_t *list = o->json ? json_array() : NULL;
	struct store *s = NULL;
	size_t added = 0;
	int rc = store_open(o->db ? o->db : "", 1, &s, e);

	for (size_t i = 0; i < words->n && !rc; i++) {
		rc = store_merge(s, words->at[i], &added, e);
		if (!rc && list)
			json_array_append_new(list, json_pack("{s:o, s:I}", "db", json_text(words->at[i]), "added",
							      (json_int_t)added));
		else if (!rc)
			fprintf(c->out, "%s: %zu finding%s added to '%s'\n", words->at[i], added, PLURAL(added),
				store_path(s));
	}
	if (!rc)
		rc = cluster_all(s, NULL, e);
	if (!rc && list)
		rc = cli_print_json(c->out, json_pack("{s:o, s:O}", "db", json_text(store_path(s)), "merged", list));
	json_decref(list);
	store_close(s);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static const char *const verdicts[] = {
#define X(id, word, finding, means) word,
	VERDICT_MAP(X)
#undef X
		NULL};
static const char *const methods[] = {"check", "search", "equiv", "swap", "fuzz", "gate", NULL};

static int complete_id(const struct finding *f, void *arg)
{
	const struct cli *c = arg;
	struct buf text;

	buf_init(&text, 1024);
	text_plain(&text, f->library, 40);
	buf_puts(&text, " ");
	text_plain(&text, f->version, 20);
	fprintf(c->out, "%" PRId64 "\t%s %s\n", f->id, text.data ? text.data : "", finding_does(f));
	buf_release(&text);
	return 0;
}

/* Words that may follow: subcommands, then the findings of the default store. */
static void complete(struct cli *c)
{
	struct err ignored = ERR_INIT;
	struct store *s;

	cli_complete_actions(c, actions);
	if (c->argc != 1 || (strcmp(c->argv[0], "show") != 0 && strcmp(c->argv[0], "export") != 0) ||
	    store_open("", 0, &s, &ignored))
		return;
	store_each(s, NULL, complete_id, c, &ignored);
	store_close(s);
}

int cmd_findings(struct cli *c)
{
	struct findings_options o = {0};
	struct cli_actions all = {actions, &o};
	struct cli_word verdict = {.words = verdicts, .text = &o.filter.verdict};
	struct cli_word method = {.words = methods, .text = &o.filter.method};
	const struct cli_option options[] = {
		{0, "db", "FILE", CLI_STRING, &o.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "all", NULL, CLI_FLAG, &o.all, "list: each finding, not each cluster"},
		{0, "ours", NULL, CLI_FLAG, &o.ours,
		 "list: defects of assay's own translation (verdicts ours, unproven), not of libraries"},
		{'b', "backend", "NAME", CLI_STRING, &o.filter.backend,
		 "list: only of this backend or library, of any version when none is named"},
		{0, "verdict", "WORD", CLI_WORD, &verdict, "list: only with this verdict"},
		{0, "op", "OPERATOR", CLI_STRING, &o.filter.op, "list: only where this operator is blamed"},
		{0, "method", "VERB", CLI_WORD, &method, "list: only found by this verb"},
		{0, "cluster", "N", CLI_COUNT, &o.cluster, "list: each finding of this cluster"},
		{0, "usage", "FILE", CLI_STRING, &o.usage,
		 "list: rank by what models use, the index.json of 'assay extract'"},
		{'o', "output", "DIR", CLI_STRING, &o.output, "export: the folder (finding-N)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0},
	};

	c->verdicts = 1;
	c->notes = notes;
	if (c->complete)
		complete(c);
	return cli_main(c, options, cli_act, &all);
}
