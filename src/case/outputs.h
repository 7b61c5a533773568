/* outputs.h - what a model gave, in files. */
#ifndef CASE_OUTPUTS_H
#define CASE_OUTPUTS_H

#include "reference/reference.h"

/* By the path: .npz, .npy (of one tensor), else a folder of output_<n>.pb, which is made. */
int outputs_save(const struct ref_result *r, const char *path, struct err *e);

#endif
