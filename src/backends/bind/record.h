/* record.h - what a library is told, written down as Python: scripts that show a finding without assay are made of it.
 *
 * A worker with the option record=FOLDER writes every run, and every pass of gradients, to FOLDER/calls.py, one line
 * for each operation, in words that the script's own part for the library (libraries/repro/<library>.py) knows:
 *
 *     v0 = take("x", inputs["x"], "float32")
 *     v1 = take("w", constants["c0"], "float32")
 *     v2 = op("add.Tensor", v0, v1)
 *     give("y", v2)
 *
 * Tensors that no operation made lie beside it, c0.npy for constants["c0"].  A line is in the file before its operation
 * runs, so that the last one tells what a process died of.  All functions do nothing when there is no record (NULL); a
 * record that cannot be written removes itself. */
#ifndef BACKENDS_BIND_RECORD_H
#define BACKENDS_BIND_RECORD_H

#include "tensor/tensor.h"

struct record;

/* folder, values: what the options say (record=, values=1); folder NULL: *out stays NULL. */
int record_open(const char *folder, int values, struct record **out, struct err *e);
void record_close(struct record *r);

/* From now on the elements of every value are written, too, v2.npy for v2, by `get`; after an operation there stands
 * a line made(v2, "float32"). */
typedef int record_get(void *ctx, void *handle, struct tensor **packed, struct err *e);
void record_values_by(struct record *r, record_get *get, void *ctx);

/* Forgets what was written: another run begins. */
void record_begin(struct record *r);

/* A handle that was made of a tensor: of a graph input, of an initializer, or (name NULL) of neither. */
void record_source(struct record *r, const void *handle, const char *name, int is_input, const struct tensor *packed);
/* An initializer's handle is released with its session. */
void record_forget(struct record *r, const void *handle);
/* `copy` is another handle of the same value. */
void record_alias(struct record *r, const void *copy, const void *handle);

/* One operation: its name, its arguments one by one, the end of its line; then what it made, or what stands in the list
 * that it made. */
void record_op(struct record *r, const char *name);
void record_value(struct record *r, const void *handle);              /* NULL: None */
void record_values(struct record *r, void *const *handles, size_t n); /* [v1, v2] */
void record_ints(struct record *r, const int64_t *x, size_t n);       /* [1, 2] */
void record_float(struct record *r, double x);
void record_string(struct record *r, const char *s);                                            /* in quotes */
void record_word(struct record *r, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* as it is */
void record_key(struct record *r, const char *name); /* name= before the next argument */
void record_run(struct record *r);
void record_made(struct record *r, const void *handle);
void record_made_part(struct record *r, const void *handle, size_t i);

void record_output(struct record *r, const char *name, const void *handle);

/* A call of another function, whose arguments follow as those of an operation do, and a file beside the record. */
void record_statement(struct record *r, const char *function);
void record_file(struct record *r, const char *name, const void *data, size_t n);

#endif
