/* single.c - see single.h. */
#include "single/single.h"

#ifdef SINGLE_KERNELS

#include <fpu_control.h>

static int run(struct ref *r, struct value *const *in, size_t n, const struct ref_options *o, struct ref_result *out,
	       struct err *e)
{
	fpu_control_t before, narrow;
	int rc;

	_FPU_GETCW(before);
	narrow = (fpu_control_t)((before & ~_FPU_EXTENDED) | _FPU_SINGLE);
	_FPU_SETCW(narrow);
	rc = ref_run(r, in, n, o, out, e);
	_FPU_SETCW(before);
	return rc;
}

const struct single *single_precision(void)
{
	static const struct single s = {case_parse, case_release, ref_open, ref_close, run, ref_result_release};

	return &s;
}

#else

const struct single *single_precision(void)
{
	return NULL;
}

#endif
