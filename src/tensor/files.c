/* files.c - tensors in files: what npy.c, npz.c and pb.c make of bytes, over whole files (declared in io.h). */
#include "tensor/io.h"

/* How the bytes of one format become what is asked for, and back. */
typedef int parse_fn(const void *data, size_t n, void *to, struct err *e);
typedef int write_fn(const void *from, struct buf *out, struct err *e);

static int load(const char *path, parse_fn *parse, void *to, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, TENSOR_IO_MAX_FILE);
	rc = buf_read_file(&b, path, TENSOR_IO_MAX_FILE, e);
	if (rc)
		return rc;
	rc = parse(b.data, b.len, to, e);
	if (rc)
		err_prefix(e, "cannot read '%s'", path);
	buf_release(&b);
	return rc;
}

static int save(const void *from, write_fn *write, const char *path, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, TENSOR_IO_MAX_FILE);
	rc = write(from, &b, e);
	if (rc)
		err_prefix(e, "cannot write '%s'", path);
	else
		rc = buf_write_file(b.data ? b.data : "", b.len, path, e);
	buf_release(&b);
	return rc;
}

/* ---- .npy -------------------------------------------------------------------------------------------------------- */

static int parse_npy(const void *data, size_t n, void *to, struct err *e)
{
	return npy_parse(data, n, to, e);
}

static int write_npy(const void *from, struct buf *out, struct err *e)
{
	return npy_write(from, out, e);
}

int npy_load(const char *path, struct tensor **out, struct err *e)
{
	return load(path, parse_npy, out, e);
}

int npy_save(const struct tensor *t, const char *path, struct err *e)
{
	return save(t, write_npy, path, e);
}

/* ---- .npz -------------------------------------------------------------------------------------------------------- */

static int parse_npz(const void *data, size_t n, void *to, struct err *e)
{
	return npz_parse(data, n, to, e);
}

static int write_npz(const void *from, struct buf *out, struct err *e)
{
	return npz_write(from, out, e);
}

int npz_load(const char *path, struct tensor_set *out, struct err *e)
{
	return load(path, parse_npz, out, e);
}

int npz_save(const struct tensor_set *s, const char *path, struct err *e)
{
	return save(s, write_npz, path, e);
}

/* ---- .pb --------------------------------------------------------------------------------------------------------- */

struct pb_value {
	enum value_kind kind;
	struct value **value;
	char **found; /* its name */
	const struct value *given;
	const char *name;
};

static int parse_pb(const void *data, size_t n, void *to, struct err *e)
{
	const struct pb_value *v = to;

	return pb_parse_value(data, n, v->kind, v->value, v->found, e);
}

static int write_pb(const void *from, struct buf *out, struct err *e)
{
	const struct pb_value *v = from;

	return pb_write_value(v->given, v->name, out, e);
}

int pb_load_value(const char *path, enum value_kind kind, struct value **out, char **name, struct err *e)
{
	struct pb_value v = {.kind = kind, .value = out, .found = name};

	return load(path, parse_pb, &v, e);
}

int pb_save_value(const struct value *v, const char *name, const char *path, struct err *e)
{
	const struct pb_value given = {.given = v, .name = name};

	return save(&given, write_pb, path, e);
}

int pb_save_tensor(const struct tensor *t, const char *name, const char *path, struct err *e)
{
	const struct value v = {.kind = VALUE_TENSOR, .refs = 1, .tensor = (struct tensor *)(uintptr_t)t};

	return pb_save_value(&v, name, path, e);
}
