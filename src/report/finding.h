/* finding.h - one finding for programs, and the command that runs it again. */
#ifndef REPORT_FINDING_H
#define REPORT_FINDING_H

#include <jansson.h>

#include "base/buf.h"
#include "store/store.h"

/* The object of design.md section 8 and more: {"id", "signature", "method", "backend", "version", "verdict", "op",
 * "node", "noise_ratio", "nodes", "repro", …}; docs/findings.md lists its keys.  NULL: out of memory. */
json_t *finding_json(const struct finding *f, const struct store *s);

/* Appends the command that runs a finding again: "assay replay 3 --db 'my findings.db'"; or that does something else
 * with it, the words of which stand in place of "replay". */
void finding_repro(const struct finding *f, const struct store *s, struct buf *out);
void finding_command(const struct finding *f, const struct store *s, const char *words, struct buf *out);

/* "gives wrong numbers", "crashes", …: what a library does that the verdict names. */
const char *finding_does(const struct finding *f);

#endif
