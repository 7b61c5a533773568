/* dataset.h - many inputs for one model, with labels where there are any.
 *
 * Data come from a file (.npy, .npz by graph names, .csv and .csv.gz), a folder (of images, of .pb files, of
 * test_data_set_<n> folders), an image, or are made up.  Items lie along the first axis; a model whose input has a
 * fixed first dimension B takes B of them a run, any other takes as many as are asked for. */
#ifndef CASE_DATASET_H
#define CASE_DATASET_H

#include "case/inputs.h"
#include "judge/trial.h"

#define DATASET_MAX_ITEMS 4096 /* in a run that asks for more than one */

struct dataset_options {
	const char *data; /* file or folder; NULL: made up */
	/* .npy or .csv, one number an item or one for each of its places; NULL: the last column of a .csv that has one
	 * more */
	const char *labels;
	const char *targets;         /* .npy or .csv: what the first output should be, item by item; NULL: none */
	int column_is_target;        /* that last column is a target, not the number of a class */
	const char *preprocess;      /* of images: see dataset_image.c; NULL: by the model's input */
	int64_t items;               /* of a table, in a run; 0: as many as the model fixes, else one */
	int64_t limit;               /* runs at most; 0: all */
	int64_t random;              /* runs made up; used when data is NULL */
	struct input_options inputs; /* files in place of data; seed, ranges and sizes of what is made up */
	struct texts expect;         /* FILE or NAME=FILE: right outputs, of one run each or of all runs */
};

struct dataset {
	struct value ***runs; /* [n][graph->inputs.n] */
	size_t n, n_inputs;
	struct value ***expected; /* [n][graph->outputs.n], entries NULL where no file gives them; NULL: none given */
	size_t n_outputs;
	int64_t *labels; /* [n * batch * labels_each]; NULL: none */
	size_t labels_each;
	struct tensor *targets; /* packed [n * batch or more, …]; NULL: none */
	size_t batch;           /* items a run */
	size_t left_out;        /* items that fill no whole run */
	json_t *sizes;          /* of the inputs of the first run, as told_sizes.h has them */
	size_t all;             /* runs that there are, also those beyond the limit */
};

extern const char dataset_notes[]; /* for the help of verbs that take data */

int dataset_make(const struct graph *g, const struct dataset_options *o, struct dataset *out, struct err *e);
void dataset_release(struct dataset *d);                 /* zeroed is fine */
void dataset_options_release(struct dataset_options *o); /* the lists in it */

/* dataset_open.c: a model, by file, by its name in the zoo or as a case's folder (model.onnx, with inputs of its own in
 * test_data_set_<n> or inputs.npz, which are taken where `o` gives none); its data; and a case of it with the inputs of
 * the first run.  Both are released by the caller, also when it fails. */
int dataset_open(const char *name, const struct dataset_options *o, uint64_t seed, struct dataset *data,
		 struct trial *t, struct err *e);

/* dataset_image.c: one image as packed float32 of the shape of an item of input w. */
int dataset_read_image(const char *path, const struct wire *w, const char *preprocess, struct tensor **out,
		       struct err *e);

/* The scale that --preprocess names; 1 when it names none. */
int dataset_scale(const char *preprocess, double *out, struct err *e);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

/* Whether x is the number of a class; *out is only set when it is. */
int dataset_take_label(double x, int64_t *out);
struct value **dataset_add_run(struct dataset *d, struct err *e);
/* The first input without a default: what a file without names is for. */
int dataset_first_input(const struct graph *g, size_t *out, struct err *e);
int dataset_from_table(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e);
/* dataset_files.c: o->inputs.files, item by item; o->expect. */
int dataset_from_files(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e);
int dataset_read_expected(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e);

#endif
