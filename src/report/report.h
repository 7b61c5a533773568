/* report.h - what a store holds, for people and for other programs.
 *
 * Each writer appends to a buffer; the caller writes the file in one go. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <jansson.h>

#include "base/buf.h"
#include "blame/blame.h"
#include "store/store.h"

struct report_page {
	const char *title;
	const struct usage *usage; /* (optional) clusters stand in the order of their use by models */
	const json_t *ops;         /* (optional) the matrix of operators, which gets a section */
	int64_t finding;           /* 0: all; else only the cluster that has this finding, open */
};

/* One self-contained page: works without a network, sortable and searchable, for phones, light and dark.  ERR_INPUT
 * when the store has no such finding. */
int report_html(struct store *s, const struct report_page *page, struct buf *out, struct err *e);
/* A page of the matrix of operators alone: `matrix` is what `assay ops --judge --json` prints, from a file of that. */
int report_ops(const json_t *matrix, const char *title, struct buf *out, struct err *e);
int report_ops_load(const char *path, json_t **out, struct err *e);
/* JUnit XML (one test suite a backend, one failed test a cluster) and SARIF 2.1.0. */
int report_junit(struct store *s, struct buf *out, struct err *e);
int report_sarif(struct store *s, struct buf *out, struct err *e);

/* ---- svg_*.c: pictures ------------------------------------------------------------------------------------------- */

struct svg_node {
	const char *color; /* "" : none */
	const char *note;  /* second line of the box: "R_L 31.2  δ 0.004"; "" : none */
	const char *tip;   /* shown when pointed at; "" : none */
};

/* The graph as inline SVG, laid out by Graphviz; notes by node->index, may be NULL.  Sizes and names from the model are
 * escaped.  Above max_nodes (0: 600) only the part around noted nodes is drawn, and the picture says so. */
int svg_graph(const struct model *m, const struct svg_node *notes, size_t max_nodes, struct buf *out, struct err *e);
/* A colour between pale yellow (0) and dark red (1). */
const char *svg_map_shade(double t, char out[8]);
/* A localization map: nodes coloured by rate of change. */
int svg_map(const struct model *m, const struct blame_map *map, struct buf *out, struct err *e);
/* A curve over time, several series. */
struct svg_series {
	const char *name;
	const double *x, *y;
	size_t n;
};
int svg_curves(const char *title, const char *x_label, const struct svg_series *series, size_t n, struct buf *out,
	       struct err *e);

#endif
