/* findings.h - findings of a store for people and programs: what cmd_findings.c and its files share, and what other
 * verbs print of a finding they made. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include <jansson.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "store/store.h"

/* ---- for every verb ---------------------------------------------------------------------------------------------- */

/* The object of design.md section 8 and more: {"id", "signature", "method", "backend", "version", "verdict", "op",
 * "node", "noise_ratio", "nodes", "repro", …}; docs/findings.md lists its keys.  NULL: out of memory. */
json_t *finding_json(const struct finding *f, const struct store *s);

/* Appends the command that runs a finding again: "assay replay 3 --db 'my findings.db'"; or that does something else
 * with it, the words of which stand in place of "replay". */
void finding_repro(const struct finding *f, const struct store *s, struct buf *out);
void finding_command(const struct finding *f, const struct store *s, const char *words, struct buf *out);

/* "gives wrong numbers", "crashes", …: what a library does that the verdict names. */
const char *finding_does(const struct finding *f);

/* ---- subcommands ------------------------------------------------------------------------------------------------- */

struct findings_call {
	FILE *out;
	const struct cli_list *words; /* the subcommand and what follows it */
	size_t first;                 /* where that begins */
	const char *db, *output;
	struct store_filter filter;
	int64_t cluster; /* 0: any */
	int all, json;
};

/* Each returns an exit status. */
int findings_list(const struct findings_call *c);
int findings_show(const struct findings_call *c);
int findings_export(const struct findings_call *c);
int findings_merge(const struct findings_call *c);

/* Opens the store; when there is none the message says how one comes to be. */
int findings_open(const struct findings_call *c, struct store **out, struct err *e);
/* The finding that the command line names; the caller releases *f and closes *s, also when it fails. */
int findings_find(const struct findings_call *c, struct store **s, struct finding *f, struct err *e);

#endif
