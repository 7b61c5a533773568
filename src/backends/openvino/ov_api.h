/* ov_api.h - the part of OpenVINO's C interface that assay uses.
 *
 * Each row is result, name and arguments of one function of libopenvino_c; the table is filled by dlsym.  Objects are
 * opaque; statuses and element types are plain numbers.  tests/unit/test_ov_api.c compares all of it with the real
 * header where one is installed. */
#ifndef BACKENDS_OPENVINO_OV_API_H
#define BACKENDS_OPENVINO_OV_API_H

#include <stddef.h>
#include <stdint.h>

#ifndef OV_HEADER /* tests/unit/test_ov_api.c has the library's own types instead */
#define OV_STATUS int
#define OV_ELEMENT int
#define OV_SHAPE struct ov_shape
#define OV_PROFILE struct ov_profile_list

struct ov_version {
	const char *build_number; /* "2026.4.1-22982-…" */
	const char *description;
};

struct ov_shape {
	int64_t rank;
	int64_t *dims;
};

struct ov_profile {
	int status; /* OV_EXECUTED and others */
	int64_t real_time, cpu_time;
	const char *node_name, *exec_type, *node_type;
};

struct ov_profile_list {
	struct ov_profile *at;
	size_t n;
};
#endif

struct ov_core;
struct ov_model;
struct ov_compiled_model;
struct ov_infer_request;
struct ov_output_const_port;
struct ov_tensor;

#define OV_EXECUTED 2 /* of a node: neither left out nor optimized away */

/* Statuses. */
#define OV_OK 0
#define OV_NOT_IMPLEMENTED (-2)
#define OV_INVALID_C_PARAM (-14)
#define OV_NOT_IMPLEMENTED_IN_C (-16)

/* Element types as numbered from 2025.0 on; before, "undefined" stood in front and all were one higher. */
enum ov_element {
	OV_DYNAMIC,
	OV_BOOL,
	OV_BF16,
	OV_F16,
	OV_F32,
	OV_F64,
	OV_I4,
	OV_I8,
	OV_I16,
	OV_I32,
	OV_I64,
	OV_U1,
	OV_U2,
	OV_U3,
	OV_U4,
	OV_U6,
	OV_U8,
	OV_U16,
	OV_U32,
	OV_U64,
	OV_NF4,
	OV_F8E4M3,
	OV_F8E5M2,
	OV_STRING,
	OV_F4E2M1,
	OV_F8E8M0,
	OV_ELEMENT_COUNT
};

/* F(result, name, arguments) */
#define OV_FUNCTIONS(F)                                                                                              \
	F(OV_STATUS, ov_get_openvino_version, (struct ov_version *))                                                 \
	F(void, ov_version_free, (struct ov_version *))                                                              \
	F(const char *, ov_get_last_err_msg, (void))                                                                 \
	F(const char *, ov_get_error_info, (OV_STATUS))                                                              \
	F(void, ov_free, (const char *))                                                                             \
	F(OV_STATUS, ov_core_create, (struct ov_core **))                                                            \
	F(void, ov_core_free, (struct ov_core *))                                                                    \
	F(OV_STATUS, ov_core_read_model, (const struct ov_core *, const char *, const char *, struct ov_model **))   \
	F(OV_STATUS, ov_core_read_model_from_memory_buffer,                                                          \
	  (const struct ov_core *, const char *, size_t, const struct ov_tensor *, struct ov_model **))              \
	F(void, ov_model_free, (struct ov_model *))                                                                  \
	F(OV_STATUS, ov_core_compile_model,                                                                          \
	  (const struct ov_core *, const struct ov_model *, const char *, size_t, struct ov_compiled_model **, ...)) \
	F(OV_STATUS, ov_compiled_model_export_model, (const struct ov_compiled_model *, const char *))               \
	F(OV_STATUS, ov_core_import_model,                                                                           \
	  (const struct ov_core *, const char *, size_t, const char *, struct ov_compiled_model **))                 \
	F(OV_STATUS, ov_core_set_property, (const struct ov_core *, const char *, ...))                              \
	F(void, ov_compiled_model_free, (struct ov_compiled_model *))                                                \
	F(OV_STATUS, ov_compiled_model_get_property, (const struct ov_compiled_model *, const char *, char **))      \
	F(OV_STATUS, ov_compiled_model_outputs_size, (const struct ov_compiled_model *, size_t *))                   \
	F(OV_STATUS, ov_compiled_model_inputs_size, (const struct ov_compiled_model *, size_t *))                    \
	F(OV_STATUS, ov_compiled_model_create_infer_request,                                                         \
	  (const struct ov_compiled_model *, struct ov_infer_request **))                                            \
	F(void, ov_infer_request_free, (struct ov_infer_request *))                                                  \
	F(OV_STATUS, ov_infer_request_set_tensor_by_const_port,                                                      \
	  (struct ov_infer_request *, const struct ov_output_const_port *, const struct ov_tensor *))                \
	F(OV_STATUS, ov_compiled_model_input_by_index,                                                               \
	  (const struct ov_compiled_model *, size_t, struct ov_output_const_port **))                                \
	F(OV_STATUS, ov_compiled_model_input_by_name,                                                                \
	  (const struct ov_compiled_model *, const char *, struct ov_output_const_port **))                          \
	F(void, ov_output_const_port_free, (struct ov_output_const_port *))                                          \
	F(OV_STATUS, ov_infer_request_get_output_tensor_by_index,                                                    \
	  (const struct ov_infer_request *, size_t, struct ov_tensor **))                                            \
	F(OV_STATUS, ov_infer_request_get_profiling_info, (const struct ov_infer_request *, OV_PROFILE *))           \
	F(void, ov_profiling_info_list_free, (OV_PROFILE *))                                                         \
	F(OV_STATUS, ov_infer_request_infer, (struct ov_infer_request *))                                            \
	F(OV_STATUS, ov_tensor_create, (OV_ELEMENT, OV_SHAPE, struct ov_tensor **))                                  \
	F(OV_STATUS, ov_tensor_create_from_host_ptr, (OV_ELEMENT, OV_SHAPE, void *, struct ov_tensor **))            \
	F(OV_STATUS, ov_tensor_get_shape, (const struct ov_tensor *, OV_SHAPE *))                                    \
	F(OV_STATUS, ov_shape_free, (OV_SHAPE *))                                                                    \
	F(OV_STATUS, ov_tensor_get_element_type, (const struct ov_tensor *, OV_ELEMENT *))                           \
	F(OV_STATUS, ov_tensor_get_byte_size, (const struct ov_tensor *, size_t *))                                  \
	F(OV_STATUS, ov_tensor_data, (const struct ov_tensor *, void **))                                            \
	F(void, ov_tensor_free, (struct ov_tensor *))

/* The same, for functions that older versions do not have: NULL there. */
#define OV_OPTIONAL_FUNCTIONS(F) \
	F(OV_STATUS, ov_tensor_create_from_string_array, (const char **, size_t, OV_SHAPE, struct ov_tensor **))

struct ov_api {
#define F(result, name, arguments) result(*name) arguments;
	OV_FUNCTIONS(F)
	OV_OPTIONAL_FUNCTIONS(F)
#undef F
};

#endif
