/* own_names.c - a program whose own functions are called as some of libassay's inner ones are.
 *
 * It links with libassay.a alone.  Were an inner name visible, the link would fail (two definitions), or the library
 * would call these functions, which all end the program.  It prints the first output of a model, run on one tensor. */
#include <stdio.h>
#include <stdlib.h>

#include "assay.h"

#define OWN(name)        \
	int name(void);  \
	int name(void)   \
	{                \
		abort(); \
	}

OWN(map_get)
OWN(map_put)
OWN(buf_init)
OWN(err_set)
OWN(arena_alloc)
OWN(mem_alloc)
OWN(tensor_new)
OWN(graph_add_node)
OWN(ref_run)
OWN(ops_find)

int main(int argc, char **argv)
{
	struct assay_run_options options = {.mode = ASSAY_EXACT};
	struct assay_reference *reference = NULL;
	struct assay_result *result = NULL;
	struct assay_tensor *input = NULL;
	struct assay_model *model = NULL;
	struct assay_error error;
	int rc;

	if (argc != 3)
		return 2;
	rc = assay_model_load(argv[1], &model, &error);
	if (!rc)
		rc = assay_tensor_load(argv[2], &input, &error);
	if (!rc)
		rc = assay_reference_open(model, &reference, &error);
	if (!rc)
		rc = assay_reference_run(reference, &input, 1, &options, &result, &error);
	if (!rc)
		printf("%s[0] = %.9g\n", assay_result_name(result, 0),
		       assay_tensor_get(assay_result_tensor(result, 0), 0));
	else
		fprintf(stderr, "%s: %s\n", assay_status_text(rc), error.message);
	assay_result_free(result);
	assay_reference_close(reference);
	assay_tensor_free(input);
	assay_model_free(model);
	return rc != 0;
}
