/* npz.c - named tensors, and numpy's .npz files of them (declared in io.h).
 *
 * A .npz is a zip whose members are .npy files.  What a member claims to unpack to is never believed: memory grows with
 * what really comes out, and all members together may give NPZ_MAX_UNPACKED bytes. */
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "tensor/io.h"

#define NPZ_MAX_UNPACKED TENSOR_IO_MAX_FILE
#define NPZ_MAX_MEMBERS 65536
#define READ_STEP 65536
#define SUFFIX ".npy"

/* ---- sets -------------------------------------------------------------------------------------------------------- */

void tensor_set_release(struct tensor_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		mem_free(s->at[i].name);
		tensor_unref(s->at[i].tensor);
	}
	vec_release(s);
}

int tensor_set_add(struct tensor_set *s, const char *name, struct tensor *take, struct err *e)
{
	struct named_tensor item = {mem_strdup(name), take};

	if (!item.name || vec_push(s, item)) {
		mem_free(item.name);
		tensor_unref(take);
		return err_nomem(e, "a name", strlen(name));
	}
	return 0;
}

int tensor_set_add_value(struct tensor_set *s, const char *name, const struct value *v, struct err *e)
{
	int rc = 0;

	if (v->kind == VALUE_TENSOR)
		return tensor_set_add(s, name, tensor_ref(v->tensor), e);
	for (size_t i = 0; i < v->n && !rc; i++) {
		char item[1024];

		snprintf(item, sizeof item, "%s.%zu", name, i);
		rc = tensor_set_add_value(s, item, v->items[i], e);
	}
	return rc;
}

struct tensor *tensor_set_get(const struct tensor_set *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].name, name))
			return s->at[i].tensor;
	return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Most bytes to unpack of member i: what the directory claims, and what is left to the file. */
static size_t member_size(zip_t *z, zip_uint64_t i, size_t left)
{
	zip_stat_t st;

	if (zip_stat_index(z, i, 0, &st) || !(st.valid & ZIP_STAT_SIZE) || st.size > left)
		return left;
	return (size_t)st.size;
}

static int member_too_large(const struct buf *out, size_t left, struct err *e)
{
	if (out->failed != ERR_LIMIT)
		return buf_check(out, e);
	if (out->cap < left)
		return err_set(e, ERR_INPUT, "unpacks to more than the %zu bytes it claims", out->cap);
	return err_set(e, ERR_LIMIT, "more than %zu bytes once unpacked", (size_t)NPZ_MAX_UNPACKED);
}

static int read_member(zip_t *z, zip_uint64_t i, size_t *left, struct buf *out, struct err *e)
{
	zip_file_t *f = zip_fopen_index(z, i, 0);
	char step[READ_STEP];
	zip_int64_t got = 0;
	int rc = 0;

	if (!f)
		return err_set(e, ERR_INPUT, "%s", zip_strerror(z));
	buf_clear(out);
	out->cap = member_size(z, i, *left);
	while (!rc && (got = zip_fread(f, step, sizeof step)) > 0)
		if (buf_add(out, step, (size_t)got))
			rc = member_too_large(out, *left, e);
	if (!rc && got < 0)
		rc = err_set(e, ERR_INPUT, "%s", zip_file_strerror(f));
	zip_fclose(f);
	*left -= out->len;
	return rc;
}

/* The bytes that stand in the file where they are UTF-8, else what libzip makes of another encoding of old. */
static const char *name_of(zip_t *z, zip_uint64_t i)
{
	const char *raw = zip_get_name(z, i, ZIP_FL_ENC_RAW);
	size_t characters;

	return raw && utf8_count(raw, strlen(raw), &characters) ? raw : zip_get_name(z, i, 0);
}

static int is_there_before(zip_t *z, zip_uint64_t i, const char *name)
{
	const char *shown = zip_get_name(z, i, 0), *first;
	zip_int64_t k = shown ? zip_name_locate(z, shown, 0) : -1; /* by a hash of what libzip makes of names */

	first = k >= 0 && (zip_uint64_t)k < i ? name_of(z, (zip_uint64_t)k) : NULL;
	return first && !strcmp(first, name);
}

/* The tensor's name: the member's without ".npy". */
static int member_name(zip_t *z, zip_uint64_t i, char **out, struct err *e)
{
	const char *name = name_of(z, i);
	size_t n = name ? strlen(name) : 0, suffix = sizeof SUFFIX - 1;
	char *copy;

	if (n < suffix || strcmp(name + n - suffix, SUFFIX))
		return err_set(e, ERR_UNSUPPORTED, "member '%s' is not a " SUFFIX " file", name ? name : "");
	if (is_there_before(z, i, name))
		return err_set(e, ERR_INPUT, "member '%s' is there twice", name);
	copy = mem_strdup(name);
	if (!copy)
		return err_nomem(e, "a name", n);
	copy[n - suffix] = '\0';
	*out = copy;
	return 0;
}

static int read_members(zip_t *z, struct tensor_set *set, struct err *e)
{
	zip_int64_t n = zip_get_num_entries(z, 0);
	size_t left = NPZ_MAX_UNPACKED;
	struct buf data;
	int rc = 0;

	if (n > NPZ_MAX_MEMBERS)
		return err_set(e, ERR_LIMIT, "%lld members, more than %d", (long long)n, NPZ_MAX_MEMBERS);
	buf_init(&data, left);
	for (zip_int64_t i = 0; !rc && i < n; i++) {
		struct tensor *t = NULL;
		char *name = NULL;

		rc = member_name(z, (zip_uint64_t)i, &name, e);
		if (rc)
			break;
		rc = read_member(z, (zip_uint64_t)i, &left, &data, e);
		if (!rc)
			rc = npy_parse(data.data, data.len, &t, e);
		if (!rc)
			rc = tensor_set_add(set, name, t, e);
		if (rc)
			err_prefix(e, "member '%s'", name);
		mem_free(name);
	}
	buf_release(&data);
	return rc;
}

static int zip_failed(zip_error_t *ze, struct err *e)
{
	int rc = err_set(e, ERR_INPUT, "not a .npz file: %s", zip_error_strerror(ze));

	zip_error_fini(ze);
	return rc;
}

int npz_parse(const void *data, size_t n, struct tensor_set *out, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	zip_source_t *source;
	zip_error_t ze;
	zip_t *z;
	int rc;

	if (!n) /* libzip takes it for an archive without members */
		return err_set(e, ERR_INPUT, "not a .npz file: empty");
	zip_error_init(&ze);
	source = zip_source_buffer_create(data, n, 0, &ze);
	if (!source)
		return zip_failed(&ze, e);
	z = zip_open_from_source(source, ZIP_RDONLY, &ze);
	if (!z) {
		zip_source_free(source);
		return zip_failed(&ze, e);
	}
	zip_error_fini(&ze);
	rc = read_members(z, &set, e);
	zip_discard(z);
	if (rc)
		tensor_set_release(&set);
	else
		*out = set;
	return rc;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Adds one member; data must stay until the zip is closed.  The date is fixed: same tensors, same bytes. */
static int add_member(zip_t *z, const char *name, const struct buf *data, struct err *e)
{
	zip_source_t *source = zip_source_buffer(z, data->data, data->len, 0);
	struct buf member;
	zip_int64_t i = -1;

	buf_init(&member, strlen(name) + sizeof SUFFIX);
	buf_printf(&member, "%s" SUFFIX, name);
	if (source && !member.failed)
		i = zip_file_add(z, member.data, source, ZIP_FL_ENC_UTF_8);
	if (source && !member.failed && i < 0) /* libzip takes control characters for another encoding; bytes stay */
		i = zip_file_add(z, member.data, source, ZIP_FL_ENC_CP437);
	buf_release(&member);
	if (i < 0) {
		zip_source_free(source);
		return err_set(e, ERR_IO, "cannot add '%s': %s", name, zip_strerror(z));
	}
	if (zip_set_file_compression(z, (zip_uint64_t)i, ZIP_CM_STORE, 0) ||
	    zip_file_set_dostime(z, (zip_uint64_t)i, 0, 1 << 5 | 1, 0)) /* 1 January 1980, midnight */
		return err_set(e, ERR_IO, "cannot add '%s': %s", name, zip_strerror(z));
	return 0;
}

/* The members' data are kept in data[] until libzip has written them. */
static int add_members(zip_t *z, const struct tensor_set *s, struct buf *data, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < s->n; i++) {
		buf_init(&data[i], TENSOR_IO_MAX_FILE);
		rc = npy_write(s->at[i].tensor, &data[i], e);
		if (!rc)
			rc = add_member(z, s->at[i].name, &data[i], e);
	}
	return rc;
}

/* Copies what libzip wrote into its own memory. */
static int take_bytes(zip_source_t *source, struct buf *out, struct err *e)
{
	char step[READ_STEP];
	zip_int64_t got = 0;

	if (zip_source_open(source) < 0)
		return err_set(e, ERR_IO, "%s", zip_error_strerror(zip_source_error(source)));
	while ((got = zip_source_read(source, step, sizeof step)) > 0 && !buf_add(out, step, (size_t)got))
		;
	zip_source_close(source);
	return got < 0 ? err_set(e, ERR_IO, "%s", zip_error_strerror(zip_source_error(source))) : buf_check(out, e);
}

/* A zip over `source`, which the zip takes over; one more reference stays with the caller. */
static int write_zip(zip_source_t *source, const struct tensor_set *s, struct buf *data, struct err *e)
{
	zip_error_t ze;
	zip_t *z;
	int rc;

	zip_error_init(&ze);
	zip_source_keep(source);
	z = zip_open_from_source(source, ZIP_TRUNCATE, &ze);
	if (!z) {
		rc = err_set(e, ERR_IO, "%s", zip_error_strerror(&ze));
		zip_source_free(source);
		zip_error_fini(&ze);
		return rc;
	}
	zip_error_fini(&ze);
	rc = add_members(z, s, data, e);
	if (!rc && zip_close(z) < 0)
		rc = err_set(e, ERR_IO, "%s", zip_strerror(z));
	if (rc)
		zip_discard(z);
	return rc;
}

int npz_write(const struct tensor_set *s, struct buf *out, struct err *e)
{
	static const char empty[22] = "PK\5\6"; /* a zip's end, without members; libzip would write no file at all */
	struct buf *data;
	zip_source_t *source;
	zip_error_t ze;
	int rc;

	if (!s->n)
		return buf_add(out, empty, sizeof empty) ? buf_check(out, e) : 0;
	data = mem_array(s->n, sizeof *data);
	if (!data)
		return err_nomem(e, "members", s->n * sizeof *data);
	zip_error_init(&ze);
	source = zip_source_buffer_create(NULL, 0, 0, &ze);
	rc = source ? write_zip(source, s, data, e) : err_set(e, ERR_IO, "%s", zip_error_strerror(&ze));
	if (!rc)
		rc = take_bytes(source, out, e);
	if (source)
		zip_source_free(source);
	zip_error_fini(&ze);
	for (size_t i = 0; i < s->n; i++)
		buf_release(&data[i]);
	mem_free(data);
	return rc;
}
