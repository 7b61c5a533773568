/* parts.h - the models and tensors of findings: contents that are equal are kept once. */
#ifndef STORE_PARTS_H
#define STORE_PARTS_H

#include "store/db.h"
#include "store/store.h"

/* The id of the blob with these contents; 0 when there is none (empty contents: always). */
int parts_find_blob(struct store *s, const struct bytes *b, int64_t *id, struct err *e);

/* Makes the parts of finding f->id those of f that are not empty; inside of a transaction. */
int parts_write(struct store *s, const struct finding *f, struct err *e);
/* Reads them into f, whose arena holds the bytes. */
int parts_read(struct store *s, struct finding *f, enum store_bytes which, struct err *e);

#endif
