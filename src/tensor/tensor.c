/* tensor.c - memory of tensors: making, sharing, copying them (see tensor.h).
 *
 * A buffer is one block: a header of 64 bytes, then the elements, so that those of larger ones are aligned for vector
 * code.  Buffers over foreign memory are the header alone.  The bytes of strings are carved from an arena in the
 * header. */
#include "tensor/tensor.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"

#define HEADER_SIZE 64
#define SMALL 1024 /* bytes; buffers below are not worth the cost of an aligned allocation */
#define DEFAULT_CAP ((size_t)16 << 30)

struct tensor_buf {
	atomic_int refs;
	int foreign;  /* the memory is not ours: never to be written */
	size_t bytes; /* counted as live */
	void (*drop)(void *owner);
	void *owner;
	struct arena strings;
};

_Static_assert(sizeof(struct tensor_buf) <= HEADER_SIZE, "the elements start after the header");

/* ---- accounting: tensors belong to one thread each, these numbers to the process --------------------------------- */

static atomic_size_t live, peak, cap; /* cap 0: not known yet */

static size_t default_cap(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t half;

	if (pages <= 0 || page <= 0)
		return DEFAULT_CAP;
	half = (size_t)pages / 2 * (size_t)page;
	return half < DEFAULT_CAP ? half : DEFAULT_CAP;
}

static size_t current_cap(void)
{
	size_t now = atomic_load(&cap), unknown = 0;

	if (now)
		return now;
	now = default_cap();
	return atomic_compare_exchange_strong(&cap, &unknown, now) ? now : unknown; /* another thread was first */
}

static int account(size_t bytes, struct err *e)
{
	size_t limit = current_cap();
	size_t before = atomic_fetch_add(&live, bytes);
	size_t top = atomic_load(&peak);

	if (bytes > limit || before > limit - bytes) {
		atomic_fetch_sub(&live, bytes);
		return err_set(e, ERR_LIMIT, "cannot allocate %zu bytes: tensors hold %zu of at most %zu bytes", bytes,
			       before, limit);
	}
	while (before + bytes > top && !atomic_compare_exchange_weak(&peak, &top, before + bytes))
		;
	return 0;
}

static void unaccount(size_t bytes)
{
	atomic_fetch_sub(&live, bytes);
}

size_t tensor_memory_live(void)
{
	return atomic_load(&live);
}

size_t tensor_memory_peak(void)
{
	return atomic_load(&peak);
}

void tensor_memory_reset_peak(void)
{
	atomic_store(&peak, atomic_load(&live));
}

void tensor_memory_set_cap(size_t bytes)
{
	atomic_store(&cap, bytes);
}

int tensor_memory_has(size_t bytes)
{
	size_t limit = current_cap(), now = atomic_load(&live);

	return now <= limit && bytes <= limit - now;
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static struct tensor_buf *buf_new(size_t bytes, struct err *e)
{
	struct tensor_buf *b;

	if (account(bytes, e))
		return NULL;
	b = bytes < SMALL ? mem_alloc(HEADER_SIZE + bytes) : mem_aligned(HEADER_SIZE + bytes);
	if (!b) {
		unaccount(bytes);
		err_nomem(e, "a tensor", bytes);
		return NULL;
	}
	*b = (struct tensor_buf){.refs = 1, .bytes = bytes};
	arena_init(&b->strings, 0);
	return b;
}

static void *buf_data(struct tensor_buf *b)
{
	return (char *)b + HEADER_SIZE;
}

static void buf_unref(struct tensor_buf *b)
{
	if (!refs_drop(&b->refs))
		return;
	if (b->drop)
		b->drop(b->owner);
	unaccount(b->bytes);
	arena_release(&b->strings);
	mem_free(b);
}

/* ---- making tensors ---------------------------------------------------------------------------------------------- */

/* A tensor without a buffer. */
static struct tensor *make(enum dtype t, int wide, int rank, const int64_t *dims, struct err *e)
{
	struct tensor *r;
	size_t count;

	if (dtype_wide(t) == WIDE_NONE) {
		err_set(e, ERR_INPUT, "a tensor of no known type (%d)", (int)t);
		return NULL;
	}
	if (tensor_shape_count(rank, dims, &count, e))
		return NULL;
	r = mem_zalloc(sizeof *r);
	if (!r) {
		err_nomem(e, "a tensor", sizeof *r);
		return NULL;
	}
	r->dtype = t;
	r->wide = wide;
	r->rank = rank;
	if (rank)
		memcpy(r->dims, dims, (size_t)rank * sizeof *dims);
	r->count = count;
	r->refs = 1;
	return r;
}

static int has_strings(const struct tensor *t)
{
	return t->dtype == DT_STRING;
}

static struct tensor *make_with_buf(enum dtype t, int wide, int rank, const int64_t *dims, struct err *e)
{
	struct tensor *r = make(t, wide, rank, dims, e);
	size_t bytes;

	if (!r)
		return NULL;
	bytes = wide || has_strings(r) ? r->count * dtype_wide_size(t) : dtype_packed_size(t, r->count);
	r->buf = buf_new(bytes, e);
	if (!r->buf) {
		char text[256];

		err_prefix(e, "%s", tensor_describe(r, text, sizeof text));
		mem_free(r);
		return NULL;
	}
	r->data = buf_data(r->buf);
	if (has_strings(r))
		for (size_t i = 0; i < r->count; i++)
			r->s[i] = (struct bytes){"", 0};
	return r;
}

struct tensor *tensor_new(enum dtype t, int rank, const int64_t *dims, struct err *e)
{
	return make_with_buf(t, 1, rank, dims, e);
}

struct tensor *tensor_new_packed(enum dtype t, int rank, const int64_t *dims, struct err *e)
{
	return make_with_buf(t, 0, rank, dims, e);
}

struct tensor *tensor_zeros(enum dtype t, int rank, const int64_t *dims, struct err *e)
{
	struct tensor *r = tensor_new(t, rank, dims, e);

	if (r && !has_strings(r))
		memset(r->data, 0, r->count * dtype_wide_size(t));
	return r;
}

static struct tensor *scalar(enum dtype t, double f, int64_t i, struct err *e)
{
	struct tensor *r = tensor_zeros(t, 0, NULL, e);

	if (!r)
		return NULL;
	if (dtype_wide(t) == WIDE_I64)
		r->i[0] = i;
	else if (!has_strings(r))
		r->f[0] = f;
	return r;
}

struct tensor *tensor_scalar_f(enum dtype t, double x, struct err *e)
{
	BUG_ON(dtype_wide(t) != WIDE_F64 && dtype_wide(t) != WIDE_C64);
	return scalar(t, x, 0, e);
}

struct tensor *tensor_scalar_i(enum dtype t, int64_t x, struct err *e)
{
	BUG_ON(dtype_wide(t) != WIDE_I64);
	return scalar(t, 0, x, e);
}

struct tensor *tensor_wrap(enum dtype t, int rank, const int64_t *dims, const struct tensor_memory *m, struct err *e)
{
	struct tensor *r = make(t, 0, rank, dims, e);
	char text[256];
	size_t wanted;

	if (!r)
		return NULL;
	wanted = dtype_packed_size(t, r->count);
	if (has_strings(r) || m->bytes < wanted) {
		if (has_strings(r))
			err_set(e, ERR_INPUT, "strings have no packed form to wrap");
		else
			err_set(e, ERR_INPUT, "%s needs %zu bytes, got %zu", tensor_describe(r, text, sizeof text),
				wanted, m->bytes);
		mem_free(r);
		return NULL;
	}
	r->buf = buf_new(0, e);
	if (!r->buf) {
		mem_free(r);
		return NULL;
	}
	r->buf->foreign = 1;
	r->buf->drop = m->drop;
	r->buf->owner = m->owner;
	r->data = (void *)(uintptr_t)m->data; /* packed tensors that are shared or foreign are not written */
	return r;
}

/* A tensor that shares t's buffer. */
static struct tensor *share(struct tensor *t, int wide, int rank, const int64_t *dims, struct err *e)
{
	struct tensor *r = make(t->dtype, wide, rank, dims, e);

	if (!r)
		return NULL;
	r->buf = t->buf;
	refs_add(&r->buf->refs);
	r->data = t->data;
	return r;
}

struct tensor *tensor_view(struct tensor *t, int rank, const int64_t *dims, struct err *e)
{
	char from[256], to[256];
	size_t count;

	if (tensor_shape_count(rank, dims, &count, e))
		return NULL;
	if (count != t->count) {
		err_set(e, ERR_INPUT, "cannot view %s as [%s]", tensor_describe(t, from, sizeof from),
			tensor_dims_text(rank, dims, to, sizeof to));
		return NULL;
	}
	return share(t, t->wide, rank, dims, e);
}

struct tensor *tensor_ref(struct tensor *t)
{
	if (t)
		refs_add(&t->refs);
	return t;
}

void tensor_unref(struct tensor *t)
{
	if (!t || !refs_drop(&t->refs))
		return;
	buf_unref(t->buf);
	mem_free(t);
}

int tensor_is_unique(const struct tensor *t)
{
	return refs_is_one(&t->refs) && refs_is_one(&t->buf->refs) && !t->buf->foreign;
}

/* ---- forms and copies -------------------------------------------------------------------------------------------- */

struct tensor *tensor_widen(struct tensor *t, struct err *e)
{
	struct tensor *r;

	if (t->wide)
		return tensor_ref(t);
	if (has_strings(t))
		return share(t, 1, t->rank, t->dims, e);
	r = tensor_new(t->dtype, t->rank, t->dims, e);
	if (r)
		dtype_unpack(t->dtype, t->data, 0, t->count, r->data);
	return r;
}

struct tensor *tensor_pack(struct tensor *t, struct err *e)
{
	struct tensor *r;

	if (!t->wide)
		return tensor_ref(t);
	if (has_strings(t))
		return share(t, 0, t->rank, t->dims, e);
	r = tensor_new_packed(t->dtype, t->rank, t->dims, e);
	if (r)
		dtype_pack(t->dtype, t->data, t->count, r->data);
	return r;
}

struct tensor *tensor_copy(const struct tensor *t, struct err *e)
{
	struct tensor *r = make_with_buf(t->dtype, t->wide, t->rank, t->dims, e);

	if (!r)
		return NULL;
	if (!has_strings(t)) {
		size_t bytes = t->wide ? t->count * dtype_wide_size(t->dtype) : dtype_packed_size(t->dtype, t->count);

		if (bytes)
			memcpy(r->data, t->data, bytes);
		return r;
	}
	for (size_t i = 0; i < t->count; i++)
		if (tensor_set_string(r, i, t->s[i].p, t->s[i].n, e)) {
			tensor_unref(r);
			return NULL;
		}
	return r;
}

int tensor_set_string(struct tensor *t, size_t i, const char *p, size_t n, struct err *e)
{
	char *copy;
	int rc;

	BUG_ON(!has_strings(t) || i >= t->count);
	if (!n) {
		t->s[i] = (struct bytes){"", 0};
		return 0;
	}
	rc = account(n, e);
	if (rc)
		return rc;
	copy = arena_strndup(&t->buf->strings, p, n);
	if (!copy) {
		unaccount(n);
		return err_nomem(e, "a string", n);
	}
	t->buf->bytes += n;
	t->s[i] = (struct bytes){copy, n};
	return 0;
}
