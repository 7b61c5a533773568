/* blocks.c - see blocks.h. */
#include "support/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int blocks_load(struct corpus *out)
{
	struct err e = ERR_INIT;

	if (!corpus_load("data/blocks-large.yaml", 1, out, &e))
		return 0;
	print_error("%s\n", e.msg);
	return 1;
}
