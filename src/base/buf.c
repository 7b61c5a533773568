/* buf.c - see buf.h. */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

void buf_init(struct buf *b, size_t cap)
{
	*b = (struct buf){.cap = cap};
}

void buf_release(struct buf *b)
{
	mem_free(b->data);
	buf_init(b, b->cap);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = 0;
	if (b->data)
		b->data[0] = '\0';
}

static int reserve(struct buf *b, size_t n)
{
	size_t size;
	char *data;

	if (b->failed)
		return b->failed;
	if (n > b->cap - b->len)
		return b->failed = ERR_LIMIT;
	if (b->len + n < b->size)
		return 0;
	size = b->size ? b->size * 2 : 256;
	if (size <= b->len + n)
		size = b->len + n + 1;
	data = mem_resize(b->data, size);
	if (!data)
		return b->failed = ERR_MEMORY;
	b->data = data;
	b->size = size;
	return 0;
}

int buf_add(struct buf *b, const void *p, size_t n)
{
	int rc = reserve(b, n);

	if (rc)
		return rc;
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
	return 0;
}

int buf_puts(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n, rc;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	rc = n < 0 ? (b->failed = ERR_INTERNAL) : reserve(b, (size_t)n);
	if (!rc) {
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
	va_end(ap);
	return rc;
}

void buf_quote(struct buf *b, const char *s)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=@:,./%";

	if (*s && strspn(s, harmless) == strlen(s)) {
		buf_puts(b, s);
		return;
	}
	buf_puts(b, "'");
	for (; *s; s++)
		if (*s == '\'')
			buf_puts(b, "'\\''");
		else
			buf_add(b, s, 1);
	buf_puts(b, "'");
}

int buf_check(const struct buf *b, struct err *e)
{
	if (b->failed == ERR_LIMIT)
		return err_set(e, ERR_LIMIT, "more than %zu bytes of text", b->cap);
	if (b->failed)
		return err_set(e, b->failed, "cannot grow a buffer of %zu bytes", b->size);
	return 0;
}

/* Reads n bytes, fewer when the file ends before that; room for them was reserved. */
static int read_all(struct buf *b, int fd, size_t n, const char *path, struct err *e)
{
	while (b->len < n) {
		ssize_t got = read(fd, b->data + b->len, n - b->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(e, ERR_IO, "cannot read '%s': %s", path, strerror(errno));
		if (got == 0)
			break;
		b->len += (size_t)got;
	}
	b->data[b->len] = '\0';
	return 0;
}

int buf_read_file(struct buf *b, const char *path, size_t cap, struct err *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hang us */
	int rc;

	if (fd < 0)
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	buf_clear(b);
	b->cap = cap;
	if (fstat(fd, &st) < 0)
		rc = err_set(e, ERR_IO, "cannot read '%s': %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		rc = err_set(e, ERR_IO, "cannot read '%s': it is %s", path,
			     S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
	else if ((size_t)st.st_size > cap)
		rc = err_set(e, ERR_LIMIT, "cannot read '%s': %lld bytes, more than the limit of %zu", path,
			     (long long)st.st_size, cap);
	else if (reserve(b, (size_t)st.st_size))
		rc = buf_check(b, e);
	else
		rc = read_all(b, fd, (size_t)st.st_size, path, e);
	close(fd);
	if (rc)
		buf_release(b);
	return rc;
}

int buf_write_fd(int fd, const void *p, size_t n)
{
	const char *at = p;

	while (n) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		at += put;
		n -= (size_t)put;
	}
	return 0;
}

int buf_write_file(const void *p, size_t n, const char *path, struct err *e)
{
	char tmp[4096];
	int fd, cause;

	if (snprintf(tmp, sizeof tmp, "%s.tmp%ld", path, (long)getpid()) >= (int)sizeof tmp)
		return err_set(e, ERR_INPUT, "cannot write '%s': path too long", path);
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(e, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
	cause = buf_write_fd(fd, p, n) < 0 ? errno : 0;
	if (close(fd) < 0 && !cause)
		cause = errno;
	if (!cause && rename(tmp, path) < 0)
		cause = errno;
	if (!cause)
		return 0;
	unlink(tmp);
	return err_set(e, ERR_IO, "cannot write '%s': %s", path, strerror(cause));
}
