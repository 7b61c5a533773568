/* html.h - parts of the page, for the files that write it. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/digest.h"
#include "report/report.h"
#include "report/text.h"

struct page {
	struct store *store;
	const struct digest *digest; /* NULL: the page is not about a store */
	struct buf *out;
	size_t pictures; /* bytes of pictures so far */
	int full;        /* one was left out: so are all behind it */
	int open;        /* clusters are shown unfolded */
	int packed;      /* clusters are the text of one <noscript>: see put_list() */
};

/* Pictures take at most this much of a page; beyond it they are left out, and the page says so. */
#define PAGE_PICTURES ((size_t)8 << 20)

/* Up to the first element of the body.  `script` is the hash of the only script that may run; `connect`: it may ask the
 * server that the page came from; `main`: the section that a reader may skip to. */
void html_head(struct buf *out, const char *title, const char *script, int connect, const char *main);
/* The end of a page that has page.js, from the end of <main> on. */
void html_foot(struct buf *out);
/* <li><b>2</b> findings</li> */
void html_tile(struct buf *out, size_t n, const char *one, const char *many);
/* <name class="class">text</name>; class "" for none. */
void html_element(struct buf *out, const char *name, const char *class, const char *text);
/* <dt>name</dt><dd>value</dd>, nothing when the value is empty. */
void html_fact(struct buf *out, const char *name, const char *value);
/* A coloured word for a verdict. */
void html_verdict(struct buf *out, enum verdict v);

int html_cluster(struct page *p, const struct digest_cluster *c, struct err *e);
/* The inputs, the right outputs and what came of the smallest case, as far as they are short. */
void html_tensors(struct buf *out, const struct finding *f, const json_t *evidence);
/* What `assay ops --judge --json` printed, as a section. */
void html_ops(struct page *p, const json_t *matrix);
int html_campaigns(struct page *p, struct err *e);

#endif
