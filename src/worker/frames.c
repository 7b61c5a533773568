/* frames.c - see frames.h. */
#include "worker/frames.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"

#define FIRST_SIZE ((size_t)64 << 10)

void frame_release(struct frame *f)
{
	mem_free(f->data);
	*f = (struct frame)FRAME_INIT;
}

uint8_t *frame_message(const struct frame *f)
{
	return f->data + FRAME_HEAD;
}

static int grow(struct frame *f, size_t size)
{
	uint8_t *data;

	if (size <= f->size)
		return 0;
	size = size < FIRST_SIZE ? FIRST_SIZE : size;
	data = mem_resize(f->data, size);
	if (!data)
		return ERR_MEMORY;
	f->data = data;
	f->size = size;
	return 0;
}

int frame_reserve(struct frame *f, size_t n, struct err *e)
{
	if (n > FRAME_MAX)
		return err_set(e, ERR_LIMIT, "a message of %zu bytes is too long, at most %zu", n, FRAME_MAX);
	if (grow(f, FRAME_HEAD + n))
		return err_nomem(e, "a message", n);
	return 0;
}

static double time_left(const struct frame_wait *w)
{
	double left = w->deadline - clock_now();

	return left > 0 || !w->held_up ? left : left + w->held_up(w->arg);
}

/* Sleeps until fd is ready for `events`. */
static enum frame_result wait_ready(int fd, short events, const struct frame_wait *w)
{
	struct pollfd p = {.fd = fd, .events = events};

	for (;;) {
		double left = w ? time_left(w) : INFINITY;
		double sleep = w && w->on_tick && w->tick < left ? w->tick : left;
		int n;

		if (left <= 0)
			return FRAME_LATE;
		n = poll(&p, 1, sleep < 1e6 ? (int)(1e3 * sleep) + 1 : -1);
		if (n > 0)
			return FRAME_OK;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return FRAME_END;
		if (w && w->on_tick && w->on_tick(w->arg))
			return FRAME_STOPPED;
	}
}

static int must_wait(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK;
}

enum frame_result frame_send(int fd, struct frame *f, const struct frame_wait *w)
{
	size_t done = 0, total = FRAME_HEAD + f->n;

	for (size_t i = 0; i < FRAME_HEAD; i++)
		f->data[i] = (uint8_t)(f->n >> (8 * i));
	while (done < total) {
		ssize_t n = send(fd, f->data + done, total - done, MSG_DONTWAIT | MSG_NOSIGNAL);
		enum frame_result r = FRAME_OK;

		if (n >= 0)
			done += (size_t)n;
		else if (must_wait())
			r = wait_ready(fd, POLLOUT, w);
		else if (errno != EINTR)
			r = FRAME_END;
		if (r)
			return r;
	}
	return FRAME_OK;
}

/* Room for what is still missing, but never much more than what has come: a length alone must not cost memory. */
static enum frame_result make_room(struct frame *f, size_t got)
{
	size_t total = FRAME_HEAD + f->n;

	if (got < FRAME_HEAD)
		total = FIRST_SIZE;
	else if (total > 2 * got + FIRST_SIZE)
		total = 2 * got + FIRST_SIZE;
	return grow(f, total) ? FRAME_NOMEM : FRAME_OK;
}

static enum frame_result read_head(struct frame *f)
{
	f->n = 0;
	for (size_t i = 0; i < FRAME_HEAD; i++)
		f->n |= (size_t)f->data[i] << (8 * i);
	return f->n > FRAME_MAX ? FRAME_BAD : FRAME_OK;
}

/* How much is asked for at once: the frame's own bytes, or whatever there is. */
static size_t wanted(const struct frame *f, size_t got, int exact)
{
	size_t most = f->size - got, own = got < FRAME_HEAD ? FRAME_HEAD - got : FRAME_HEAD + f->n - got;

	return exact && own < most ? own : most;
}

enum frame_result frame_receive(int fd, struct frame *f, const struct frame_wait *w)
{
	double asleep_after = w && w->spin > 0 ? clock_now() + w->spin : 0;
	int exact = !w || w->exact;
	size_t got = 0;

	f->n = 0;
	while (got < FRAME_HEAD || got < FRAME_HEAD + f->n) {
		enum frame_result r = make_room(f, got);
		ssize_t n;

		if (r)
			return r;
		n = recv(fd, f->data + got, wanted(f, got, exact), MSG_DONTWAIT);
		if (n == 0)
			return FRAME_END;
		if (n < 0 && must_wait())
			r = asleep_after && clock_now() < asleep_after ? FRAME_OK : wait_ready(fd, POLLIN, w);
		else if (n < 0 && errno != EINTR)
			r = FRAME_END;
		if (n > 0 && got < FRAME_HEAD && got + (size_t)n >= FRAME_HEAD)
			r = read_head(f);
		got += n > 0 ? (size_t)n : 0;
		if (r)
			return r;
	}
	return got > FRAME_HEAD + f->n ? FRAME_BAD : FRAME_OK;
}
