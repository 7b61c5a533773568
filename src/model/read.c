/* read.c - from the bytes of a file to a model: unpacking, opsets, checks of names.
 *
 * The unpacked messages are kept under a count of references: tensors borrow their raw_data from them, so that weights
 * are in memory once; with the last such tensor the messages go. */
#include "model/read.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tensor/proto_check.h"

/* A graph in a graph is three messages deeper (node, attribute, graph); then come a tensor or a type. */
#define MAX_MESSAGE_DEPTH (3 * (MODEL_MAX_DEPTH + 1) + 2 * MODEL_MAX_DEPTH + 8)

struct proto {
	Onnx__ModelProto *model;
	atomic_int refs;
};

const struct wire read_absent = {.name = ""};

struct proto *read_proto_ref(struct proto *p)
{
	refs_add(&p->refs);
	return p;
}

void read_proto_unref(void *arg)
{
	struct proto *p = arg;

	if (!p || !refs_drop(&p->refs))
		return;
	onnx__model_proto__free_unpacked(p->model, proto_allocator());
	mem_free(p);
}

static int proto_open(const void *data, size_t n, struct proto **out, struct err *e)
{
	struct proto *p = mem_zalloc(sizeof *p);
	ProtobufCMessage *message;
	int rc;

	if (!p)
		return err_nomem(e, "a model", sizeof *p);
	rc = proto_unpack(&onnx__model_proto__descriptor, data, n, MAX_MESSAGE_DEPTH, &message, e);
	if (rc) {
		mem_free(p);
		return rc;
	}
	p->model = (Onnx__ModelProto *)message;
	p->refs = 1;
	*out = p;
	return 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

const char *read_text(const char *s)
{
	return s ? s : "";
}

int read_spend(struct reader *r, size_t work)
{
	r->work += work;
	if (r->work > READ_MAX_WORK)
		return err_set(r->e, ERR_LIMIT, "the model is too large once its functions are expanded");
	return 0;
}

int read_name(struct reader *r, const char *s, const char *what)
{
	size_t n = strlen(read_text(s)), characters;

	if (n > READ_MAX_NAME)
		return err_set(r->e, ERR_LIMIT, "%s of %zu bytes, more than %zu", what, n, READ_MAX_NAME);
	if (!utf8_count(read_text(s), n, &characters))
		return err_set(r->e, ERR_INPUT, "%s is not valid UTF-8", what);
	return read_spend(r, 1 + n / 32);
}

const char *read_domain(const char *s)
{
	return !s || !strcmp(s, "ai.onnx") ? "" : s;
}

/* ---- opsets ------------------------------------------------------------------------------------------------------ */

static int read_opset(struct reader *r, const Onnx__OperatorSetIdProto *p, struct opset *list, size_t *n)
{
	const char *domain = read_domain(p->domain);
	int64_t version = p->has_version ? p->version : 0;
	int rc = read_name(r, domain, "a domain");

	if (rc)
		return rc;
	if (version < 1 || version > INT32_MAX)
		return err_set(r->e, ERR_INPUT, "opset %lld of domain '%s' does not exist", (long long)version,
			       *domain ? domain : "ai.onnx");
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(list[i].domain, domain)) {
			if (list[i].version == version)
				return 0;
			return err_set(r->e, ERR_INPUT, "domain '%s' is imported with opset %d and again with %lld",
				       *domain ? domain : "ai.onnx", list[i].version, (long long)version);
		}
	list[*n].domain = model_strdup(r->m, domain, r->e);
	list[*n].version = (int)version;
	if (!list[*n].domain)
		return status_of(r->e);
	(*n)++;
	return 0;
}

int read_opsets(struct reader *r, Onnx__OperatorSetIdProto *const *list, size_t n, struct opset **out, size_t *n_out)
{
	int rc = 0;

	if (n > READ_MAX_OPSETS)
		return err_set(r->e, ERR_LIMIT, "%zu opset imports, more than %d", n, READ_MAX_OPSETS);
	*out = model_carve(r->m, n, sizeof **out, "opsets", r->e);
	if (!*out)
		return status_of(r->e);
	*n_out = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = read_opset(r, list[i], *out, n_out);
	return rc;
}

static int read_model_opsets(struct reader *r, const Onnx__ModelProto *p)
{
	struct opset *list;
	size_t n;
	int rc = read_opsets(r, p->opset_import, p->n_opset_import, &list, &n);

	for (size_t i = 0; i < n && !rc; i++)
		if (vec_push(&r->m->opsets, list[i]))
			rc = err_nomem(r->e, "opsets", n * sizeof *list);
	/* Before IR version 3 there were no imports, and one opset. */
	if (!rc && r->m->ir_version < 3 && !model_opset(r->m, "") && vec_push(&r->m->opsets, ((struct opset){"", 1})))
		rc = err_nomem(r->e, "opsets", sizeof *list);
	return rc;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static int read_head(struct reader *r, const Onnx__ModelProto *p)
{
	struct model *m = r->m;
	int rc;

	if (!p->has_ir_version || p->ir_version < 1)
		return err_set(r->e, ERR_INPUT, "not an ONNX model: it has no IR version");
	if (p->ir_version > ONNX__VERSION__IR_VERSION)
		return err_set(r->e, ERR_UNSUPPORTED, "IR version %lld is newer than %d", (long long)p->ir_version,
			       ONNX__VERSION__IR_VERSION);
	if (!p->graph)
		return err_set(r->e, ERR_INPUT, "not an ONNX model: it has no graph");
	m->ir_version = (int)p->ir_version;
	rc = read_name(r, p->producer_name, "the producer's name");
	if (rc)
		return rc;
	m->producer = model_strdup(m, read_text(p->producer_name), r->e);
	return m->producer ? read_model_opsets(r, p) : status_of(r->e);
}

static int read_model(struct reader *r, const Onnx__ModelProto *p)
{
	int rc = read_head(r, p);

	if (!rc)
		rc = inline_collect(r, p->functions, p->n_functions);
	if (!rc)
		rc = read_graph(r, p->graph, NULL, NULL, 0, &r->m->graph);
	return rc;
}

/* The folder of a file, "." for a bare name. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 1;
	char *folder = mem_alloc(n + 2);

	if (!folder)
		return NULL;
	memcpy(folder, slash ? path : ".", n);
	if (!n) /* a file in the root folder */
		folder[n++] = '/';
	folder[n] = '\0';
	return folder;
}

int model_parse(const void *data, size_t n, const char *path, struct model **out, struct err *e)
{
	struct err own = ERR_INIT;
	struct reader r = {.e = e ? e : &own};
	int rc = n ? proto_open(data, n, &r.proto, r.e) : err_set(r.e, ERR_INPUT, "not an ONNX model: it is empty");

	if (!rc && *path) {
		r.folder = folder_of(path);
		if (!r.folder)
			rc = err_nomem(r.e, "a path", strlen(path));
	}
	if (!rc) {
		r.m = model_blank(path, r.e);
		rc = r.m ? read_model(&r, r.proto->model) : status_of(r.e);
	}
	map_release(&r.symbols);
	map_release(&r.functions);
	map_release(&r.tensors);
	mem_free(r.folder);
	read_proto_unref(r.proto);
	if (rc) {
		model_free(r.m);
		return *path ? err_prefix(r.e, "%s", path) : rc;
	}
	*out = r.m;
	return 0;
}

int model_load(const char *path, struct model **out, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, MODEL_MAX_FILE);
	rc = buf_read_file(&b, path, MODEL_MAX_FILE, e);
	if (!rc)
		rc = model_parse(b.data, b.len, path, out, e);
	buf_release(&b);
	return rc;
}
