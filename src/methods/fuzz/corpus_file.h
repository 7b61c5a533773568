/* corpus_file.h - a file of blocks as it stands; data/blocks-paper.yaml says what the keys mean. */
#ifndef METHODS_FUZZ_CORPUS_FILE_H
#define METHODS_FUZZ_CORPUS_FILE_H

#include "base/err.h"

struct block_op {
	char *name, *sample, *types, *pattern; /* all but the name may be NULL */
	int in, in_max, out_max, rank, rank_max, since, special;
	double low, high, bound, limit;
};

struct block_part {
	char *name, *pattern;
};

struct block_subgraph {
	char *name, *edges;
	int in, in_max, out_max;
	char **nodes;
	unsigned nodes_count;
};

struct block_file {
	struct block_part *parts;
	unsigned parts_count;
	struct block_op *operators;
	unsigned operators_count;
	struct block_subgraph *subgraphs;
	unsigned subgraphs_count;
};

int block_file_read(const char *path, struct block_file **out, struct err *e);
void block_file_free(struct block_file *f); /* NULL is fine */

#endif
