/* findings.h - what the parts of `assay findings` share. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "cli/cli.h"
#include "report/finding.h"

/* Options of all subcommands: what they are run with. */
struct findings_options {
	const char *db, *output, *usage;
	struct store_filter filter;
	int64_t cluster; /* 0: any */
	int all, ours, json;
};

cli_run_fn findings_list, findings_show, findings_export, findings_merge;

/* Opens the store; when there is none the message says how one comes to be. */
int findings_open(const struct findings_options *o, struct store **out, struct err *e);
/* The finding that a subcommand is given; the caller releases *f and closes *s, also when it fails. */
int findings_find(const struct findings_options *o, const struct texts *words, struct store **s, struct finding *f,
		  struct err *e);

#endif
