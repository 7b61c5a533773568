/* cause.h - what a finding itself tells of its cause.  Clusters are made by it; see cluster.c. */
#ifndef TRIAGE_CAUSE_H
#define TRIAGE_CAUSE_H

#include "base/buf.h"
#include "model/model.h"
#include "store/store.h"

/* Wrong numbers and NaN are one kind: which of them comes out is up to the inputs. */
int cause_same_kind(enum verdict a, enum verdict b);

/* Appends the cause that the finding names: the library's switch that decides, with the words of a refusal; or the
 * place in the library's source that a refusal names, "scaler.cc:70".  Nothing where it names neither. */
void cause_put(const struct finding *f, struct buf *out);

/* The first plain words of what a refusal ends with: libraries tell the way there before the failure itself.  "" of
 * other findings. */
void cause_complaint(const struct finding *f, char *out, size_t size);

/* Whether a refusal tells of a pass of the library's optimizer. */
int cause_in_pass(const struct finding *f);

/* The operator of g that a refusal is about: the one that its message names first.  NULL: none of them. */
const struct node *cause_named_node(const struct finding *f, const struct graph *g);

#endif
