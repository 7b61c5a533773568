/* row.h - rows of the table of findings, for the store's own files; each inside of the caller's transaction. */
#ifndef STORE_ROW_H
#define STORE_ROW_H

#include "store/store.h"

/* As store_add(), store_update() and store_get(). */
int row_add(struct store *s, struct finding *f, struct err *e);
int row_update(struct store *s, const struct finding *f, struct err *e);
int row_get(struct store *s, int64_t id, enum store_bytes which, struct finding *out, struct err *e);

/* An order of all columns but those whose numbers mean something in one store alone: 0 only when they are the same. */
int row_compare(const struct finding *a, const struct finding *b);

#endif
