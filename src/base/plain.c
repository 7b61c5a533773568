/* plain.c - see plain.h. */
#include "base/plain.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

#define MAX_TEXT ((size_t)1 << 24)
#define INDENT "  "

int plain_is_unsafe(int32_t c)
{
	return c == UTF8_INVALID || c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put(struct buf *out, const char *s, size_t n, const char *kept)
{
	for (size_t i = 0, step, from = 0; i <= n; i += step) {
		int32_t c = 0;

		step = i < n ? utf8_decode(s + i, n - i, &c) : 1;
		if (i < n && (!plain_is_unsafe(c) || (c > 0 && c < 0x20 && strchr(kept, c))))
			continue;
		buf_add(out, s + from, i - from);
		from = i + step;
		if (i < n && c == UTF8_INVALID)
			buf_printf(out, "\\x%02x", (unsigned char)s[i]);
		else if (i < n)
			buf_printf(out, "\\u%04x", (unsigned)c);
	}
}

void plain_put(struct buf *out, const char *s, size_t n)
{
	put(out, s, n, "\n\t");
}

void plain_name(struct buf *out, const char *s)
{
	put(out, s, strlen(s), "");
}

static int is_plain(const char *s)
{
	size_t n = strlen(s);
	int32_t c;

	for (size_t i = 0; i < n;) {
		i += utf8_decode(s + i, n - i, &c);
		if (plain_is_unsafe(c))
			return 0;
	}
	return 1;
}

const char *plain_line(const char *name, char *out, size_t size)
{
	static const char cut[] = "…";
	struct buf text;

	if (is_plain(name))
		return name;
	buf_init(&text, size - sizeof cut);
	plain_name(&text, name);
	snprintf(out, size, "%s%s", text.data ? text.data : "", text.failed ? cut : "");
	buf_release(&text);
	return out;
}

void plain_say(FILE *to, const char *text)
{
	struct buf line;

	buf_init(&line, MAX_TEXT);
	buf_puts(&line, "assay: ");
	for (const char *end; *text; text = end) {
		end = text + strcspn(text, "\n");
		end += *end == '\n';
		plain_put(&line, text, (size_t)(end - text));
		buf_puts(&line, *end ? INDENT : "");
	}
	buf_puts(&line, line.len && line.data[line.len - 1] == '\n' ? "" : "\n");
	if (line.data)
		fwrite(line.data, 1, line.len, to);
	buf_release(&line);
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

#define MARK_BEGIN '\016'
#define MARK_BYTES 18 /* MARK_BEGIN, 16 digits that nobody can guess, and the colour's number */

static const char *const codes[] = {"\033[0m", "\033[31m", "\033[32m", "\033[33m"};
static char marks[sizeof codes / sizeof *codes][MARK_BYTES + 1]; /* "": there is no chance here to draw them by */
static pthread_once_t marks_once = PTHREAD_ONCE_INIT;

static void make_marks(void)
{
	unsigned char secret[8] = {0};

	if (getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret)
		return;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		marks[i][0] = MARK_BEGIN;
		for (size_t k = 0; k < sizeof secret; k++)
			snprintf(marks[i] + 1 + 2 * k, 3, "%02x", secret[k]);
		marks[i][MARK_BYTES - 1] = (char)('0' + i);
	}
}

const char *plain_mark(enum plain_colour colour)
{
	pthread_once(&marks_once, make_marks);
	return marks[colour];
}

/* Text with marks in it: those become colours, all else is made plain. */
static void put_marked(struct buf *out, const char *s, size_t n)
{
	const char *mark = plain_mark(PLAIN_NONE);
	size_t from = 0;

	for (size_t i = 0; *mark && i + MARK_BYTES <= n; i++) {
		if (memcmp(s + i, mark, MARK_BYTES - 1) != 0)
			continue;
		plain_put(out, s + from, i - from);
		buf_puts(out, codes[(s[i + MARK_BYTES - 1] - '0') & 3]);
		from = i + MARK_BYTES;
		i = from - 1;
	}
	plain_put(out, s + from, n - from);
}

/* ---- a stream ---------------------------------------------------------------------------------------------------- */

struct plain_stream {
	FILE *to;
	char part[MARK_BYTES]; /* the beginning of a character or a mark whose end has not come yet */
	size_t n;
};

/* How many bytes at the end of s begin a character or a mark that is longer. */
static size_t unfinished(const char *s, size_t n)
{
	for (size_t back = 1; *plain_mark(PLAIN_NONE) && back < MARK_BYTES && back <= n; back++)
		if (s[n - back] == MARK_BEGIN)
			return back;
	for (size_t back = 1; back < UTF8_MAX_BYTES && back <= n; back++) {
		unsigned char c = (unsigned char)s[n - back];

		if (c >= 0xc0)
			return back < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? back : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

static int pass_on(struct plain_stream *p, const char *s, size_t n)
{
	struct buf text;
	int failed;

	buf_init(&text, MAX_TEXT);
	put_marked(&text, s, n);
	failed = text.failed || fwrite(text.data ? text.data : "", 1, text.len, p->to) < text.len || fflush(p->to);
	buf_release(&text);
	return failed;
}

static ssize_t write_some(void *cookie, const char *s, size_t n)
{
	struct plain_stream *p = cookie;
	struct buf all;
	size_t left;
	int failed;

	buf_init(&all, MAX_TEXT);
	buf_add(&all, p->part, p->n);
	buf_add(&all, s, n);
	left = all.failed ? 0 : unfinished(all.data, all.len);
	failed = all.failed || pass_on(p, all.data, all.len - left);
	if (!failed)
		memcpy(p->part, all.data + all.len - left, left);
	p->n = left;
	buf_release(&all);
	return failed ? -1 : (ssize_t)n;
}

static int close_it(void *cookie)
{
	struct plain_stream *p = cookie;
	int failed = pass_on(p, p->part, p->n);

	mem_free(p);
	return failed ? EOF : 0;
}

FILE *plain_open(FILE *to)
{
	static const cookie_io_functions_t calls = {.write = write_some, .close = close_it};
	struct plain_stream *p = mem_zalloc(sizeof *p);
	FILE *f = NULL;

	if (!p)
		return NULL;
	p->to = to;
	f = fopencookie(p, "w", calls);
	if (!f)
		mem_free(p);
	else if (isatty(fileno(to)))
		setvbuf(f, NULL, _IOLBF, 0);
	return f;
}
