/* message.h - tensors and values in messages, for both sides.
 *
 * Small tensors travel inside the message; larger ones are written into shared memory once, and the message says where.
 * What comes in is hostile: every offset, size, type and dimension is checked against what is there. */
#ifndef WORKER_MESSAGE_H
#define WORKER_MESSAGE_H

#include "base/arena.h"
#include "tensor/value.h"
#include "worker.pb-c.h"
#include "worker/backend.h"
#include "worker/shm.h"

#define MESSAGE_PROTOCOL 1    /* version of worker.proto */
#define MESSAGE_INLINE 4096   /* largest tensor inside a message, in bytes */
#define MESSAGE_MAX_DEPTH 16  /* of messages in messages */
#define MESSAGE_DESCRIPTORS 3 /* of a worker: the socket, and after it the shared memory */

/* Where outgoing tensors go. */
struct message_out {
	struct shm *shm;
	struct arena *arena; /* of the messages */
	uint64_t at;         /* first free byte of shared memory */
};

/* What is put must live until the message is packed.  Names are borrowed; NULL means none. */
int message_put_bytes(struct message_out *o, const void *p, size_t n, uint64_t *offset, struct err *e);
int message_put_tensor(struct message_out *o, const char *name, struct tensor *t, Assay__Tensor **out, struct err *e);
int message_put_value(struct message_out *o, const char *name, const struct value *v, Assay__Value **out,
		      struct err *e);
int message_put_values(struct message_out *o, const struct named_value *v, size_t n, Assay__Value ***out,
		       struct err *e);
int message_put_options(struct message_out *o, const struct backend_option *options, size_t n, Assay__Option ***out,
			struct err *e);

/* Where incoming tensors come from. */
struct message_in {
	const struct shm *shm;
	int copy;     /* 1: new tensors; 0: tensors over the message and the mapping */
	uint64_t end; /* behind the last byte of shared memory that was used */
};

int message_get_bytes(struct message_in *in, uint64_t offset, uint64_t n, const uint8_t **p, struct err *e);
int message_get_tensor(struct message_in *in, const Assay__Tensor *m, struct tensor **out, struct err *e);
int message_get_value(struct message_in *in, const Assay__Value *m, struct value **out, struct err *e);
int message_get_tensors(struct message_in *in, Assay__Tensor *const *m, size_t n, struct tensor **out, struct err *e);

/* The list of names of a message. */
char **message_names(const char *const *names);

#endif
