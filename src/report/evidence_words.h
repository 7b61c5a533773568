/* evidence_words.h - what blamers said of a finding, in words. */
#ifndef REPORT_EVIDENCE_WORDS_H
#define REPORT_EVIDENCE_WORDS_H

#include "report/evidence.h"

/* What each blamer said, an entry at a time, at most `most` of each list. */
typedef void evidence_saying_fn(const char *blamer, const char *text, void *arg);
void evidence_each_saying(const json_t *evidence, size_t most, evidence_saying_fn *fn, void *arg);

/* How far off the worst element is: in units of rounding, unless nothing rounds there or the right value has no size.
 */
void evidence_distance(const json_t *numbers, char *out, size_t size);

#endif
