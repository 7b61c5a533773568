/* rewriter.c - see rewriter.h.
 *
 * Both ways a message is a header of two numbers of 32 bits, what it is and how many bytes follow, and those bytes. */
#include "backends/rewrite/rewriter.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/onnx/onnx.h"

#define LOST 0x100                    /* the status of a process that ended with 1 */
#define MAX_SAID 4000                 /* bytes of a message that are kept */
#define MAX_ORDER ((size_t)128 << 10) /* bytes of an order: lists of passes are long; rewriters.py has the same */

/* rewriters.py has the same. */
enum rewriter_answer { ANSWER_MODEL, ANSWER_UNSUPPORTED, ANSWER_REJECTED, ANSWER_MEMORY, ANSWER_DIED };
enum rewriter_order { ORDER_MODEL, ORDER_INPUTS }; /* inputs come before their model */

struct header {
	uint32_t what, n;
};

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* All n of them; -1 at the end of the other side. */
static int receive_all(int fd, void *to, size_t n)
{
	char *at = to;

	while (n) {
		ssize_t got = recv(fd, at, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

static int send_all(int fd, const void *from, size_t n)
{
	const char *at = from;

	while (n) {
		ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return -1;
		at += sent;
		n -= (size_t)sent;
	}
	return 0;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

/* The new program's side; comes back only when there is no Python. */
static void become_python(int control, const struct backend_options *o)
{
	const char *python = getenv("ASSAY_PYTHON"), *script = getenv("ASSAY_REWRITERS");
	char descriptor[16];
	char *args[] = {(char *)(uintptr_t)(python && *python ? python : "python3"),
			(char *)(uintptr_t)(script ? script : "rewriters.py"), descriptor,
			(char *)(uintptr_t)backend_option(o, "rewriter", ""), NULL};

	snprintf(descriptor, sizeof descriptor, "%d", control);
	execvp(args[0], args);
	_exit(127);
}

static int receive_hello(struct rewriter *r, struct err *e)
{
	char said[MAX_SAID];
	ssize_t n = recv(r->control, said, sizeof said - 1, 0);

	if (n < 1)
		return err_set(e, ERR_IO, "the rewriter's process ended before it had opened the library");
	said[n] = '\0';
	if (said[0] != '0' + ANSWER_MODEL)
		return err_set(e, ERR_IO, "%s", said + 1);
	snprintf(r->version, sizeof r->version, "%.120s", said + 1);
	return 0;
}

int rewriter_start(struct rewriter *r, const struct backend_options *o, struct err *e)
{
	int pair[2];
	pid_t pid;

	*r = (struct rewriter){.control = -1, .socket = -1, .options = *o};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		return err_set(e, ERR_IO, "cannot make a socket: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(pair[0]);
		become_python(pair[1], o);
	}
	close(pair[1]);
	r->control = pair[0];
	if (pid < 0) {
		rewriter_stop(r);
		return err_set(e, ERR_IO, "cannot start a process: %s", strerror(errno));
	}
	if (receive_hello(r, e)) {
		rewriter_stop(r);
		return e->code;
	}
	return 0;
}

static void hang_up(struct rewriter *r)
{
	if (r->socket >= 0)
		close(r->socket);
	r->socket = -1;
}

void rewriter_stop(struct rewriter *r)
{
	if (r->control >= 0)
		close(r->control);
	r->control = -1;
	hang_up(r);
}

void rewriter_set_options(struct rewriter *r, const struct backend_options *o)
{
	hang_up(r);
	r->options = *o;
}

/* ---- one for us -------------------------------------------------------------------------------------------------- */

/* Our folder and the options, each text with a NUL behind it. */
static int write_order(const struct backend_options *o, struct buf *text, struct err *e)
{
	char folder[PATH_MAX];

	if (!getcwd(folder, sizeof folder))
		return err_set(e, ERR_IO, "cannot find the folder to work in: %s", strerror(errno));
	buf_add(text, folder, strlen(folder) + 1);
	for (size_t i = 0; i < o->n; i++) {
		buf_puts(text, o->at[i].name);
		buf_puts(text, "=");
		buf_add(text, o->at[i].value, strlen(o->at[i].value) + 1);
	}
	return buf_check(text, e);
}

/* That, its side of the socket, and where it is to print. */
static int send_order(int control, const struct buf *text, const int fds[2])
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} more = {.bytes = {0}};
	struct iovec words = {text->data, text->len};
	struct msghdr m = {.msg_iov = &words, .msg_iovlen = 1, .msg_control = &more, .msg_controllen = sizeof more};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(c), fds, 2 * sizeof(int));
	return sendmsg(control, &m, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* Where the first process is gone, as it is once a worker before us was ended with all that it had started, there is
 * another one. */
static int order_rewriter(struct rewriter *r, int theirs, struct err *e)
{
	const int fds[] = {theirs, STDERR_FILENO};
	const struct backend_options options = r->options;
	struct buf text;
	int rc;

	buf_init(&text, MAX_ORDER);
	rc = write_order(&options, &text, e);
	if (!rc && send_order(r->control, &text, fds)) {
		rewriter_stop(r);
		rc = rewriter_start(r, &options, e);
		if (!rc && send_order(r->control, &text, fds))
			rc = err_set(e, ERR_IO, "the process that forks rewriters is gone");
	}
	buf_release(&text);
	return rc;
}

static int connect_rewriter(struct rewriter *r, struct err *e)
{
	int pair[2], rc;

	if (r->socket >= 0 && r->owner == getpid())
		return 0;
	hang_up(r);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_set(e, ERR_IO, "cannot make a socket: %s", strerror(errno));
	rc = order_rewriter(r, pair[1], e);
	close(pair[1]);
	if (rc) {
		close(pair[0]);
		return rc;
	}
	r->socket = pair[0];
	r->owner = getpid();
	return 0;
}

/* ---- a model ----------------------------------------------------------------------------------------------------- */

/* What ended the rewriter ends its worker: the parent sees a library that died so. */
static _Noreturn void die(int status)
{
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static int receive_body(int fd, size_t n, struct buf *out, struct err *e)
{
	char piece[1 << 16];

	while (n && !out->failed) {
		size_t part = n < sizeof piece ? n : sizeof piece;

		if (receive_all(fd, piece, part))
			die(LOST);
		buf_add(out, piece, part);
		n -= part;
	}
	return buf_check(out, e);
}

static int refused(enum rewriter_answer what, const char *said, struct err *e)
{
	static const int codes[] = {
		[ANSWER_UNSUPPORTED] = ERR_UNSUPPORTED, [ANSWER_REJECTED] = ERR_INPUT, [ANSWER_MEMORY] = ERR_MEMORY};

	if (what >= sizeof codes / sizeof *codes || !codes[what])
		return err_set(e, ERR_INTERNAL, "the rewriter's process gave an answer of kind %d", (int)what);
	return err_set(e, codes[what], "%.*s", MAX_SAID, said);
}

static void send_message(int fd, enum rewriter_order what, const struct buf *body)
{
	struct header h = {(uint32_t)what, (uint32_t)body->len};

	if (send_all(fd, &h, sizeof h) || send_all(fd, body->data, body->len))
		die(LOST);
}

int rewriter_rewrite(struct rewriter *r, const struct buf *model, const struct buf *inputs, struct buf *out,
		     struct err *e)
{
	struct header h;
	int status, rc;

	if (model->len > ONNX_MAX_MODEL || (inputs && inputs->len > ONNX_MAX_MODEL))
		return err_set(e, ERR_LIMIT, "a model of %zu bytes, or its inputs, are more than protobuf allows",
			       model->len);
	rc = connect_rewriter(r, e);
	if (rc)
		return rc;
	if (inputs)
		send_message(r->socket, ORDER_INPUTS, inputs);
	send_message(r->socket, ORDER_MODEL, model);
	if (receive_all(r->socket, &h, sizeof h))
		die(LOST);
	if (h.what == ANSWER_DIED) {
		if (h.n == sizeof status && !receive_all(r->socket, &status, sizeof status))
			die(status);
		die(LOST);
	}
	rc = receive_body(r->socket, h.n, out, e);
	if (!rc && h.what != ANSWER_MODEL)
		rc = refused(h.what, out->len ? out->data : "", e);
	return rc;
}
