/* evidence.h - reading a finding's evidence: JSON that blamers and reducers wrote, of which nothing is taken for
 * granted.
 *
 *   map      the localization map: a list of {"node", "rate", "delta", "noise_ratio"}, or an object with that list as
 *            "nodes" or "top"; also looked for inside of "blame"
 *   guilty   the library's own switches that are sufficient to make it right ("optimizer ConstantFolding, or threads")
 *   numbers  the worst element: {"output", "element", "exact", "got", "beyond"}, and "told" in words where numbers
 *            do not tell it; reduced_numbers: of the smallest case
 *   others   scalars are shown as they are, the whole as JSON */
#ifndef REPORT_EVIDENCE_H
#define REPORT_EVIDENCE_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "blame/blame.h"

/* The parsed text; an empty object when it is no JSON object.  NULL: out of memory.  Drop with json_decref(). */
json_t *evidence_parse(const char *text);

/* Entries for nodes that the model has, by node->index; n is 0 when there are none.  Entries live in the arena. */
int evidence_map(const json_t *evidence, const struct model *m, struct arena *a, struct blame_map *out, struct err *e);

/* A member by its key, also looked for inside of "blame" and "reduce"; NULL when there is none. */
const json_t *evidence_find(const json_t *evidence, const char *key);
/* A number; "inf" and "-inf" are strings in JSON, and what is none is NaN. */
double evidence_number(const json_t *j);
/* Takes the list of all nodes out: a line for every node of a network is no reading for people. */
void evidence_drop_map(json_t *evidence);

/* Operators that fail only together, as a list; NULL: there is no such set. */
const json_t *evidence_set(const json_t *evidence);
/* "Conv + Relu, decided by optimizer ConvActivationFusion": the set, and the library's switch where one is known. */
void evidence_put_set(const json_t *evidence, struct buf *out);
/* Whether a node is one of the set. */
int evidence_is_in_set(const json_t *evidence, const struct node *n);

/* A string by its key, also looked for inside of "blame" and "reduce"; "" when there is none. */
const char *evidence_string(const json_t *evidence, const char *key);

/* Which oracle decided that a call of a library's own operation is a finding ("oracle" of the evidence, a word), said
 * in a sentence without its end; "" when there is none of that name. */
const char *evidence_oracle(const char *word);
/* The same of a finding, with the side that is held to be wrong where that is known; nothing where no oracle is told.
 */
void evidence_put_oracle(const json_t *evidence, struct buf *out);

#endif
