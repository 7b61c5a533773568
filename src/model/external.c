/* external.c - weights in files beside the model.
 *
 * The file name comes from the model and is hostile: it must be relative, have no "..", and, once links are resolved,
 * lie below the model's folder.  The size is taken from the tensor's own dimensions and compared with what the file
 * has before anything is allocated.  Large data are mapped, so that a model may be larger than what is free. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapped.h"
#include "model/read.h"

struct external_place {
	const char *location;
	uint64_t offset, length;
	int has_length;
};

static int read_number(const char *key, const char *s, uint64_t *out, struct err *e)
{
	char *end;

	errno = 0;
	*out = *s >= '0' && *s <= '9' ? strtoull(s, &end, 10) : 0;
	if (*s < '0' || *s > '9' || *end || errno || *out > INT64_MAX)
		return err_set(e, ERR_INPUT, "external data: %s '%s' is not a size", key, s);
	return 0;
}

static int read_place(const Onnx__TensorProto *p, struct external_place *out, struct err *e)
{
	int rc = 0;

	*out = (struct external_place){.location = ""};
	for (size_t i = 0; i < p->n_external_data && !rc; i++) {
		const char *key = read_text(p->external_data[i]->key), *value = read_text(p->external_data[i]->value);

		if (!strcmp(key, "location")) {
			out->location = value;
		} else if (!strcmp(key, "offset")) {
			rc = read_number(key, value, &out->offset, e);
		} else if (!strcmp(key, "length")) {
			rc = read_number(key, value, &out->length, e);
			out->has_length = 1;
		}
	}
	if (!rc && !*out->location)
		rc = err_set(e, ERR_INPUT, "external data without a location");
	return rc;
}

static int has_dot_dot(const char *path)
{
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || !p[2]))
			return 1;
	}
	return 0;
}

/* The file's real path, which must lie below the folder's. */
static int resolve(const char *folder, const char *location, char out[PATH_MAX], struct err *e)
{
	char root[PATH_MAX], joined[PATH_MAX];
	size_t n;

	if (*location == '/' || has_dot_dot(location))
		return err_set(e, ERR_INPUT, "external data '%s' lies outside of the model's folder", location);
	if (!realpath(folder, root))
		return err_set(e, ERR_IO, "cannot open folder '%s': %s", folder, strerror(errno));
	if (snprintf(joined, sizeof joined, "%s/%s", root, location) >= (int)sizeof joined)
		return err_set(e, ERR_INPUT, "external data: path too long");
	if (!realpath(joined, out))
		return err_set(e, ERR_IO, "cannot open external data '%s': %s", location, strerror(errno));
	n = strcmp(root, "/") ? strlen(root) : 0;
	if (strncmp(out, root, n) || out[n] != '/')
		return err_set(e, ERR_INPUT, "external data '%s' lies outside of the model's folder", location);
	return 0;
}

static int read_at(int fd, char *p, size_t n, uint64_t offset, const char *location, struct err *e)
{
	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(e, ERR_IO, "cannot read external data '%s': %s", location, strerror(errno));
		if (!got)
			return err_set(e, ERR_IO, "external data '%s' became shorter while it was read", location);
		p += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

/* What the dimensions need, what the model says and what the file has must fit. */
static int check_size(int fd, const struct external_place *at, size_t wanted, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, "cannot read external data '%s': %s", at->location, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "external data '%s' is not a regular file", at->location);
	if (at->has_length && at->length != wanted)
		return err_set(e, ERR_INPUT, "external data '%s': length is %llu, but the dimensions need %zu bytes",
			       at->location, (unsigned long long)at->length, wanted);
	if (at->offset > (uint64_t)st.st_size || wanted > (uint64_t)st.st_size - at->offset)
		return err_set(e, ERR_INPUT, "external data '%s': %zu bytes at offset %llu, but the file has %lld",
			       at->location, wanted, (unsigned long long)at->offset, (long long)st.st_size);
	return 0;
}

/* *out stays NULL where it cannot be mapped, and is read instead. */
static int map_tensor(int fd, const struct external_place *at, enum dtype dt, const Onnx__TensorProto *p, size_t bytes,
		      struct tensor **out, struct err *e)
{
	struct mapped *m = bytes < MAPPED_LEAST ? NULL : mapped_open(fd, at->offset, bytes, at->location);

	if (!m)
		return 0;
	*out = tensor_wrap(dt, (int)p->n_dims, p->dims, &(struct tensor_memory){mapped_data(m), bytes, mapped_close, m},
			   e);
	if (*out)
		return 0;
	mapped_close(m);
	return status_of(e);
}

static int load_from(int fd, const struct external_place *at, const Onnx__TensorProto *p, struct tensor **out,
		     struct err *e)
{
	enum dtype dt = dtype_from_code(p->has_data_type ? p->data_type : 0);
	struct tensor *t = NULL;
	size_t count, bytes = 0;
	int rc;

	if (dt == DT_UNDEFINED)
		return err_set(e, ERR_UNSUPPORTED, "unknown data type %d", (int)p->data_type);
	if (dt == DT_STRING)
		return err_set(e, ERR_INPUT, "strings cannot be external data");
	if (p->n_dims > TENSOR_MAX_RANK)
		return err_set(e, ERR_LIMIT, "a tensor of rank %zu, more than %d", p->n_dims, TENSOR_MAX_RANK);
	rc = tensor_shape_count((int)p->n_dims, p->dims, &count, e);
	if (!rc) {
		bytes = dtype_packed_size(dt, count);
		rc = check_size(fd, at, bytes, e);
	}
	if (!rc)
		rc = map_tensor(fd, at, dt, p, bytes, out, e);
	if (rc || *out)
		return rc;
	t = tensor_new_packed(dt, (int)p->n_dims, p->dims, e);
	if (!t)
		return status_of(e);
	rc = read_at(fd, t->data, bytes, at->offset, at->location, e);
	if (rc)
		tensor_unref(t);
	else
		*out = t;
	return rc;
}

int external_load(const char *folder, const Onnx__TensorProto *p, struct tensor **out, struct err *e)
{
	char path[PATH_MAX];
	struct external_place at;
	int fd, rc = read_place(p, &at, e);

	if (!rc && !folder)
		rc = err_set(e, ERR_INPUT, "external data '%s', but the model is not in a folder", at.location);
	if (!rc)
		rc = resolve(folder, at.location, path, e);
	if (rc)
		return rc;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW); /* a FIFO must not hang us */
	if (fd < 0)
		return err_set(e, ERR_IO, "cannot open external data '%s': %s", at.location, strerror(errno));
	rc = load_from(fd, &at, p, out, e);
	close(fd);
	return rc;
}
