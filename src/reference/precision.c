/* precision.c - see precision.h. */
#include "reference/precision.h"

#include <float.h>
#include <string.h>

/* TF32 has the range of float32 and the fraction of float16. */
static const struct precision rows[REF_PRECISIONS] = {
	[REF_TF32] = {"tf32", "TF32", {SMALLFLOAT_IEEE, 8, 10, 127, 0x1.ffcp127}, .products = 1},
	[REF_BF16] = {"bf16", "bfloat16", {SMALLFLOAT_IEEE, 8, 7, 127, 0x1.fep127}, .products = 0},
	[REF_F16] = {"f16", "float16", {SMALLFLOAT_IEEE, 5, 10, 15, 65504}, .products = 0},
	[REF_INT8] = {.name = "int8", .words = "int8", .steps = 1},
};

const struct precision *precision_row(enum ref_precision p)
{
	return p > REF_OWN && p < REF_PRECISIONS ? &rows[p] : NULL;
}

int precision_find(const char *name, enum ref_precision *out)
{
	for (int i = REF_OWN + 1; i < REF_PRECISIONS; i++)
		if (!strcmp(rows[i].name, name) || !strcmp(rows[i].words, name)) {
			*out = (enum ref_precision)i;
			return 1;
		}
	return 0;
}

double precision_roundoff(enum ref_precision p)
{
	const struct precision *row = precision_row(p);

	return row && !row->steps ? smallfloat_roundoff(&row->format) : 0;
}

double precision_round(enum ref_precision p, double x)
{
	const struct precision *row = precision_row(p);

	return row && !row->steps ? smallfloat_round(&row->format, x, 0) : x;
}

int precision_lowers(enum dtype t)
{
	return t == DT_FLOAT || t == DT_DOUBLE;
}
