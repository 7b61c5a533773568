/* read.h - the reader's own structures, shared by read*.c, inline.c and external.c.
 *
 * Names are resolved through scopes, which follow the file's nesting; wires are made in graphs, which follow the
 * nesting after inlining.  The two differ only inside functions: the body of a function is a scope of its own that
 * sees nothing of its caller, but its nodes go to the caller's graph. */
#ifndef MODEL_READ_H
#define MODEL_READ_H

#include "model/internal.h"
#include "onnx-ml.pb-c.h"

#define READ_MAX_NODES ((size_t)1000000)  /* after inlining */
#define READ_MAX_WORK ((size_t)100000000) /* names looked at: functions make a small file large */
#define READ_MAX_NAME ((size_t)65536)     /* bytes of a name */
#define READ_MAX_ATTRS 1024               /* attributes of a node */
#define READ_MAX_OPSETS 256
#define READ_MAX_SPARSE ((size_t)1 << 30) /* bytes of a sparse tensor made dense */

struct proto; /* the unpacked file, counted */

struct function {
	const Onnx__FunctionProto *proto;
	struct opset *opsets;
	size_t n_opsets;
};

struct reader {
	struct model *m;
	struct err *e;
	struct proto *proto;
	char *folder;         /* where external data lie; NULL: refused */
	struct map symbols;   /* dim_param → index + 1 */
	struct map functions; /* function_key() → struct function */
	struct map tensors;   /* "%p" of a message → its tensor, so that all calls of a function share it */
	size_t nodes, work, fresh;
	int located; /* the error's message names its node: outer ones need not be named */
};

struct scope {
	struct scope *outer;  /* seen too; NULL: nothing more is */
	struct graph *graph;  /* where wires and nodes go */
	struct map names;     /* name in the file → wire, or &read_absent */
	struct map *results;  /* function body: formal output → the caller's wire */
	const char *prefix;   /* of names made; "" outside of functions */
	struct call_site *fn; /* the call whose function this is (part of) the body of; NULL: the model's own graphs */
	int depth;            /* of nested graphs and functions */
};

/* A function being inlined. */
struct call_site {
	const struct function *function;
	const Onnx__NodeProto *node; /* the call */
	struct scope *scope;         /* where the call stands: its attributes are read there */
	struct scope defaults;       /* where default values of attributes are read: sees nothing */
};

extern const struct wire read_absent; /* stands for an optional input that the caller left out */

/* read.c */
const char *read_text(const char *s);                             /* "" for NULL */
int read_name(struct reader *r, const char *s, const char *what); /* checks length and UTF-8, counts work */
int read_spend(struct reader *r, size_t work);
const char *read_domain(const char *s); /* "" for ai.onnx */
int read_opsets(struct reader *r, Onnx__OperatorSetIdProto *const *list, size_t n, struct opset **out, size_t *n_out);
struct proto *read_proto_ref(struct proto *p);
void read_proto_unref(void *p);

/* read_graph.c */
int read_graph(struct reader *r, const Onnx__GraphProto *p, const struct scope *where, struct graph *parent, int depth,
	       struct graph **out);
struct wire *read_lookup(const struct scope *s, const char *name);
int read_declare_outputs(struct reader *r, struct scope *s, Onnx__NodeProto *const *nodes, size_t n);
int read_nodes(struct reader *r, struct scope *s, Onnx__NodeProto *const *nodes, size_t n);

/* read_attr.c: attributes of `p`, as seen in scope s, into n */
int read_attrs(struct reader *r, struct scope *s, const Onnx__NodeProto *p, struct node *n);

/* read_tensor.c; the model holds the result */
int read_tensor(struct reader *r, const Onnx__TensorProto *p, struct tensor **out);
int read_sparse(struct reader *r, const Onnx__SparseTensorProto *p, struct tensor **out);

/* read_type.c */
int read_type(struct reader *r, const Onnx__TypeProto *p, const char *prefix, struct type *out);

/* inline.c */
int inline_collect(struct reader *r, Onnx__FunctionProto *const *list, size_t n);
int inline_find(struct reader *r, const Onnx__NodeProto *p, const struct function **out); /* *out NULL: an operator */
int inline_call(struct reader *r, struct scope *s, const Onnx__NodeProto *p, const char *name,
		const struct function *f);

/* external.c: the tensor's data from a file below `folder` */
int external_load(const char *folder, const Onnx__TensorProto *p, struct tensor **out, struct err *e);

#endif
