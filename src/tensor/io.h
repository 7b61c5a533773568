/* io.h - tensors in files: .npy, .npz, .pb (TensorProto, SequenceProto, OptionalProto), .csv.
 *
 * All of these are hostile input: every length is checked against what is there, sizes are capped, and messages name
 * the file and the member. */
#ifndef TENSOR_IO_H
#define TENSOR_IO_H

#include "base/buf.h"
#include "tensor/value.h"

#define TENSOR_IO_MAX_FILE ((size_t)8 << 30) /* largest file read */

/* A named tensor, as .npz members and graph inputs are. */
struct named_tensor {
	char *name;
	struct tensor *tensor;
};

struct tensor_set {
	struct named_tensor *at;
	size_t n, size;
};

#define TENSOR_SET_INIT    \
	{                  \
		NULL, 0, 0 \
	}

void tensor_set_release(struct tensor_set *s);
int tensor_set_add(struct tensor_set *s, const char *name, struct tensor *take, struct err *e);
struct tensor *tensor_set_get(const struct tensor_set *s, const char *name); /* borrowed; NULL when absent */

/* .npy: versions 1 to 3, C and Fortran order, little and big endian; bool, ints, float 2/4/8, complex; S and U strings
 * become DT_STRING; others are ERR_UNSUPPORTED.  Results are packed.  Types .npy lacks (bfloat16, float8, …) are
 * written as float32, integers of less than eight bits as int8 or uint8. */
int npy_parse(const void *data, size_t n, struct tensor **out, struct err *e);
int npy_write(const struct tensor *t, struct buf *out, struct err *e);
int npy_load(const char *path, struct tensor **out, struct err *e);
int npy_save(const struct tensor *t, const char *path, struct err *e);

/* .npz: a zip of .npy members; names without ".npy". */
int npz_load(const char *path, struct tensor_set *out, struct err *e);
int npz_parse(const void *data, size_t n, struct tensor_set *out, struct err *e);
int npz_write(const struct tensor_set *s, struct buf *out, struct err *e);
int npz_save(const struct tensor_set *s, const char *path, struct err *e);

/* Values of any kind in a set: a tensor under its name, the items of a sequence or an optional as NAME.0, NAME.1, … */
int tensor_set_add_value(struct tensor_set *s, const char *name, const struct value *v, struct err *e);

/* .pb.  The kind is not in the file: a caller that knows the graph's type asks for it; pb_load_value with VALUE_NONE
 * tries tensor.  Tensors come packed, with the name they carry ("" when none) in *name when name is not NULL (the
 * caller frees it with mem_free). */
int pb_parse_value(const void *data, size_t n, enum value_kind kind, struct value **out, char **name, struct err *e);
int pb_load_value(const char *path, enum value_kind kind, struct value **out, char **name, struct err *e);
int pb_write_value(const struct value *v, const char *name, struct buf *out, struct err *e); /* no maps */
int pb_save_value(const struct value *v, const char *name, const char *path, struct err *e);
int pb_save_tensor(const struct tensor *t, const char *name, const char *path, struct err *e);

/* A table of numbers, separated by commas, every line with as many; plain or gzipped.  Packed float32 [lines, columns].
 */
#define CSV_MAX_TEXT ((size_t)1 << 30)
int csv_load(const char *path, struct tensor **out, struct err *e);

/* TensorProto messages, for the model reader and writer.  The proto is protobuf-c's Onnx__TensorProto; external data
 * is not handled here (ERR_UNSUPPORTED names it).  tensor_from_proto borrows raw_data from the proto when `owner` is
 * given, else it copies.  On success drop(owner) is called once: with the last reference, or at once when the data had
 * to be copied (they were not in raw_data); on failure it is not called. */
struct Onnx__TensorProto;
int tensor_from_proto(const struct Onnx__TensorProto *p, void (*drop)(void *), void *owner, struct tensor **out,
		      struct err *e);

#endif
