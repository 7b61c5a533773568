/* serve.h - what the parts of a worker's loop share. */
#ifndef WORKER_CHILD_SERVE_H
#define WORKER_CHILD_SERVE_H

#include "base/vec.h"
#include "worker/backend.h"
#include "worker/frames.h"
#include "worker/message.h"

struct server_session {
	uint64_t id;
	void *session; /* the backend's */
};

struct server {
	const struct backend *backend;
	void *ctx;           /* the backend's, once `open` */
	const char *version; /* of the library; the backend's */
	int open, done;
	int control; /* descriptor on which orders to fork come; -1: none */
	struct shm shm;
	struct frame frame;
	uint64_t next_session;
	uint64_t newest; /* session of the last LOAD; 0: that failed */
	VEC(struct server_session) sessions;
	struct arena kept; /* HELLO's options: backends hold on to them */

	/* of the request that is being answered */
	struct arena arena;
	struct message_in in;
	struct message_out out;
	VEC(struct value *) values;   /* kept until the answer is packed */
	VEC(struct tensor *) tensors; /* likewise */
};

/* Fills *r from *q; on failure the loop answers with the error instead. */
typedef int server_handler(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e);

server_handler serve_backward, serve_invoke, serve_list;

/* Can this process be forked to make another worker? */
int serve_can_fork(const struct server *s);

/* Waits for the next request, and forks when ordered to.  -1: this process is to end. */
int serve_await(struct server *s);

/* The session of that id, or of the last LOAD where the id is SERVE_NEWEST, or ERR_INPUT. */
#define SERVE_NEWEST 0
int serve_session(struct server *s, uint64_t id, void **session, struct err *e);

/* The status of reading a part of a request.  The library has not seen it yet: what cannot be read, a tensor of a type
 * that is not known here, say, is our fault (ERR_INTERNAL) and no refusal of the library's. */
int serve_read(int rc, struct err *e);

/* The value of a message, kept by the server. */
int serve_get_value(struct server *s, const Assay__Value *m, struct value **out, struct err *e);
int serve_get_named(struct server *s, Assay__Value *const *m, size_t n, struct backend_values *out, struct err *e);

/* Takes over references until the answer is packed. */
int serve_keep_value(struct server *s, struct value *take, struct err *e);
int serve_keep_tensor(struct server *s, struct tensor *take, struct err *e);

void *serve_array(struct server *s, size_t n, size_t size, struct err *e); /* zeroed, until the answer is packed */

#endif
