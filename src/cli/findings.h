/* findings.h - what the parts of `assay findings` share. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "cli/cli.h"
#include "report/finding.h"

struct findings_call {
	FILE *out;
	const struct texts *words; /* the subcommand and what follows it */
	size_t first;              /* where that begins */
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
