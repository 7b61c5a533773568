/* frames.h - messages over a socket: four bytes of length, little endian, then that many bytes.
 *
 * Both sides take turns, so a frame is not followed by another one before it was answered; but for what is unloaded
 * (see worker_unload_later()), behind which the next request may wait. */
#ifndef WORKER_FRAMES_H
#define WORKER_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define FRAME_HEAD ((size_t)4)
#define FRAME_MAX ((size_t)256 << 20) /* largest message; tensors of any size lie in shared memory */

struct frame {
	uint8_t *data; /* head, then the message */
	size_t n;      /* bytes of the message */
	size_t size;   /* allocated */
};

#define FRAME_INIT         \
	{                  \
		NULL, 0, 0 \
	}

enum frame_result {
	FRAME_OK,
	FRAME_END,     /* the other side is gone */
	FRAME_LATE,    /* the deadline passed */
	FRAME_STOPPED, /* the tick said so */
	FRAME_BAD,     /* what came is no frame */
	FRAME_NOMEM
};

/* How long to wait for the other side.  NULL instead of it: for ever. */
struct frame_wait {
	double deadline;        /* clock_now() when patience ends */
	double spin;            /* seconds to ask again and again before sleeping: waking up takes long */
	double tick;            /* seconds between two calls of on_tick while waiting */
	int (*on_tick)(void *); /* non-zero: stop waiting; may be NULL */
	/* Seconds of the wait in which the other side wanted a processor and got none: the deadline is later by so
	 * much.  Asked when it has passed; may be NULL. */
	double (*held_up)(void *);
	void *arg;
	int exact; /* another frame may be behind: nothing of it is read */
};

void frame_release(struct frame *f);

/* Makes room for a message of n bytes, to be written at frame_message(). */
int frame_reserve(struct frame *f, size_t n, struct err *e);
uint8_t *frame_message(const struct frame *f);

/* Sends the frame (f->n bytes at frame_message()); receives one into f, exactly when there is no wait.
 * Neither raises SIGPIPE. */
enum frame_result frame_send(int fd, struct frame *f, const struct frame_wait *w);
enum frame_result frame_receive(int fd, struct frame *f, const struct frame_wait *w);

#endif
