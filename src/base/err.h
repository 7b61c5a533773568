/* err.h - statuses and error messages.
 *
 * Every fallible function returns 0 or a negative status and takes a `struct err *` as its last argument.  The callee
 * writes one complete sentence there (lower case, no full stop, the subject in quotes, as git does); callers put
 * context in front of it with err_prefix() on the way up, so that the user reads
 *
 *     m.onnx: node 'conv1' (Conv): input 'w' has rank 3, wanted 4
 *
 * Where there is an answer beside success and failure, it is behind a pointer, or the function returns an enum with a
 * member …_FAILED = -1 and the status is the code of `struct err`; never a status and an answer in one int.
 *
 * Library code never prints.  On failure out-parameters are untouched and nothing is left for the caller to free. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

/* name, text, exit status of the program when it ends a run */
#define ERR_MAP(X)                                                                           \
	X(ERR_INPUT, "bad input", 2)         /* a file or a value from outside is wrong */   \
	X(ERR_USAGE, "bad usage", 2)         /* the command line is wrong */                 \
	X(ERR_UNSUPPORTED, "unsupported", 2) /* valid perhaps, but assay does not know it */ \
	X(ERR_LIMIT, "limit exceeded", 2)    /* a size from a file is above a cap */         \
	X(ERR_IO, "input/output error", 2)   /* the system refused to read or write */       \
	X(ERR_MEMORY, "out of memory", 3)    /* an allocation failed */                      \
	X(ERR_INTERNAL, "internal error", 3) /* assay's own fault */

enum status {
	STATUS_OK = 0,
	STATUS_FIRST_ = -64, /* statuses count up from here, all negative */
#define X(name, text, exit) name,
	ERR_MAP(X)
#undef X
};

struct err {
	int code;       /* one of enum status; 0: no error yet */
	char msg[1024]; /* NUL-terminated; cut with an ellipsis when longer */
};

#define ERR_INIT      \
	{             \
		0, "" \
	}

/* Sets code and message and returns code, so that `return err_set(e, ERR_INPUT, …);` reads well.  e may be NULL. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of the message and returns e's code (ERR_INTERNAL when e is NULL). */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Out of memory while making `what` of `bytes` bytes; returns ERR_MEMORY. */
int err_nomem(struct err *e, const char *what, size_t bytes);

void err_clear(struct err *e);

/* "ERR_INPUT" and "bad input" for a status; "STATUS_OK" and "ok" for 0. */
const char *err_name(int code);
const char *err_text(int code);

/* The program's exit status for a status (design.md section 8). */
int err_exit_status(int code);

/* Our own fault: leaves by a door (base/door.h), or prints file, line and condition and aborts.  Not for bad input. */
#define BUG_ON(cond)                                        \
	do {                                                \
		if (cond)                                   \
			err_bug(__FILE__, __LINE__, #cond); \
	} while (0)
_Noreturn void err_bug(const char *file, int line, const char *what);

#endif
