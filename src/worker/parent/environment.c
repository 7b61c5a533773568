/* environment.c - see environment.h. */
#include "worker/parent/environment.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

extern char **environ;

/* Names; with a star at the end all that begin so. */
static const char *const passed[] = {
	/* the system */
	"PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "USER", "LOGNAME", "LD_*", "GLIBC_TUNABLES", "MALLOC_*",
	/* interpreters, sanitizers, coverage */
	"PYTHON*", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "MSAN_OPTIONS", "GCOV_*",
	"LLVM_PROFILE_FILE",
	/* threads and kernels */
	"OMP_*", "GOMP_*", "KMP_*", "MKL_*", "OPENBLAS_*", "GOTO_*", "BLIS_*", "NUMEXPR_*", "TBB_*", "DNNL_*",
	"ONEDNN_*",
	/* devices */
	"CUDA_*", "CUDNN_*", "CUBLAS_*", "NVIDIA_*", "NCCL_*", "HIP_*", "HSA_*", "ROCR_*", "ROCM_*", "SYCL_*",
	"ONEAPI_*",
	/* libraries */
	"ORT_*", "ONNXRUNTIME_*", "OPENVINO_*", "OV_*", "TORCH_*", "PYTORCH_*", "ATEN_*", "TF_*", "XLA_*", "JAX_*",
	"TVM_*", "MXNET_*", "PYTENSOR_*", "NCNN_*", "MNN_*", "IREE_*", "NUMBA_*", "KERAS_*",
	/* ours */
	"ASSAY_*"};

/* One thread and one order of everything, unless somebody wants it otherwise. */
static const char *const defaults[] = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
				       "PYTHONHASHSEED=0"};

static int matches(const char *entry, size_t n, const char *pattern, size_t size)
{
	if (size && pattern[size - 1] == '*')
		return n >= size - 1 && !memcmp(entry, pattern, size - 1);
	return n == size && !memcmp(entry, pattern, n);
}

int environment_passes(const char *entry)
{
	const char *more = getenv("ASSAY_WORKER_ENV");
	size_t n = strcspn(entry, "=");

	for (size_t i = 0; i < COUNT(passed); i++)
		if (matches(entry, n, passed[i], strlen(passed[i])))
			return 1;
	while (more && *more) {
		size_t size = strcspn(more, ",");

		if (matches(entry, n, more, size))
			return 1;
		more += size + (more[size] == ',');
	}
	return 0;
}

/* Adds "NAME=VALUE" unless the name is there already. */
static void add(char **env, size_t *n, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;

	for (size_t i = 0; i < *n; i++)
		if (!strncmp(env[i], entry, name))
			return;
	env[(*n)++] = (char *)(uintptr_t)entry;
}

static size_t length(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

char **environment_make(struct arena *a, char *const *more, const char *folder)
{
	char *home = arena_printf(a, "HOME=%s", folder), *temporary = arena_printf(a, "TMPDIR=%s", folder);
	char **env = arena_array(a, 2 + length(more) + length(environ) + COUNT(defaults) + 1, sizeof(char *));
	size_t n = 0;

	if (!home || !temporary || !env)
		return NULL;
	add(env, &n, home);
	add(env, &n, temporary);
	for (char *const *e = more; e && *e; e++)
		add(env, &n, *e);
	for (char **e = environ; e && *e; e++)
		if (environment_passes(*e))
			add(env, &n, *e);
	for (size_t i = 0; i < COUNT(defaults); i++)
		add(env, &n, defaults[i]);
	return env;
}
