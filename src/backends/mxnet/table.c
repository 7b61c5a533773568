/* table.c - the binding table: all families together, and what happens around every binding. */
#include "backends/mxnet/mxnet.h"

#define MAX_ROWS 256

static const struct mx_row *const families[] = {mx_rows_unary,   mx_rows_binary,   mx_rows_shape,  mx_rows_window,
						mx_rows_product, mx_rows_norm,     mx_rows_reduce, mx_rows_index,
						mx_rows_make,    mx_rows_recurrent};

static struct binding table[MAX_ROWS + 1]; /* the last one stays empty */
static const struct mx_row *rows[MAX_ROWS];

/* Runs a binding, then frees what it has made and not given. */
static int run_row(struct bind_call *c)
{
	const struct mx_row *row = rows[c->row - table];
	struct mx *mx = c->ctx;
	int rc = row->run(c, row);

	for (size_t i = 0; i < mx->temporary.n; i++)
		mx_release(mx, mx->temporary.at[i]);
	mx->temporary.n = 0;
	return rc;
}

int mx_table_init(struct err *e)
{
	size_t n = 0;

	for (size_t f = 0; f < sizeof families / sizeof *families; f++)
		for (const struct mx_row *r = families[f]; r->op; r++, n++) {
			if (n == MAX_ROWS)
				return err_set(e, ERR_INTERNAL, "more than %d bindings", MAX_ROWS);
			rows[n] = r;
			table[n] = (struct binding){"", r->op, run_row};
		}
	return 0;
}

static struct record *record_of(void *ctx)
{
	return ((const struct mx *)ctx)->record;
}

const struct bind_library mx_library = {
	.table = table,
	.from_tensor = mx_from_tensor,
	.to_tensor = mx_to_tensor,
	.retain = mx_retain,
	.release = mx_release,
	.shape = mx_shape,
	.record = record_of,
};
