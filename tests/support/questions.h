/* questions.h - a network, a backend with a planted fault, and what blame says of them.  What fails ends the test. */
#ifndef TESTS_SUPPORT_QUESTIONS_H
#define TESTS_SUPPORT_QUESTIONS_H

#include <jansson.h>

#include "blame/blame.h"

struct question {
	struct trial t;
	struct party p;
	struct outcome o;
	struct blame b;
};

/* Two branches that meet, 24 nodes: each of the operators that are asked about stands once. */
struct trial questions_network(void);

/* Judges q->t on a backend, which must be a finding, and asks the blamers (NULL: all).  Seconds for a run, 0: as usual.
 */
void question_ask(struct question *q, const char *backend, const char *blamers, double seconds);
void question_end(struct question *q);

void question_assert_first(const struct question *q, const char *node);

/* What blamer `who` said under `key`; the caller drops the reference. */
json_t *question_said(const struct question *q, const char *who, const char *key);

#endif
