/* internal.h - what files of libraries share. */
#ifndef LIBRARIES_INTERNAL_H
#define LIBRARIES_INTERNAL_H

#include "libraries/libraries.h"

/* Parts of scripts: the build makes texts of repro/<name>.py and equiv/<name>.py. */
extern const char repro_iree[], repro_jax[], repro_keras[], repro_mnn[], repro_mnntf[], repro_mxnet[], repro_ncnn[],
	repro_onnxconvert[], repro_onnxfloat16[], repro_onnxoptimizer[], repro_onnxscript[], repro_onnxsim[],
	repro_onnxslim[], repro_opencv[], repro_openvino[], repro_ort[], repro_ortquant[], repro_ortsaved[],
	repro_ortweb[], repro_pytensor[], repro_rten[], repro_tf[], repro_tflite[], repro_tinygrad[], repro_torch[],
	repro_tract[], repro_tvm[];
extern const char equiv_forms[], equiv_jaxapi[], equiv_kerasapi[], equiv_mxapi[], equiv_mxnet[], equiv_onnx[],
	equiv_openvino[], equiv_ort[], equiv_ortapi[], equiv_tf[], equiv_tfapi[], equiv_torch[], equiv_torchapi[],
	equiv_tract[];

/* The words of documented functions: a form, and the tensors in it. */
extern const struct dialect_type form_types[];

/* The model that a rewriter writes, and with "none" the one that came, read and written again. */
extern const struct library_pair rewriter_pairs[];

/* Optimizers of ONNX Runtime, which runs models, and saves them (ortsaved). */
extern const struct library_passes ort_passes;

#endif
