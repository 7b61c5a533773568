/* site.h - where tasks run: as processes of this machine (site_here.c), or on a cluster (site_slurm.c). */
#ifndef METHODS_CAMPAIGN_SITE_H
#define METHODS_CAMPAIGN_SITE_H

#include "methods/campaign/ledger.h"

struct site;

struct site_kind {
	/* Starts tasks, by their numbers, all at once. */
	int (*start)(struct site *s, const size_t *tasks, size_t n, struct err *e);
	/* Asks what is still there, for `holds` to be answered from. */
	int (*look)(struct site *s, struct err *e);
	/* Whether a task may still come to its end by itself. */
	int (*holds)(struct site *s, size_t task);
	/* Ends all tasks, and waits until they are gone. */
	void (*end)(struct site *s);
	/* Tasks on a cluster go on, those of this machine end. */
	void (*close)(struct site *s);
	double pause; /* seconds between two looks */
};

struct site {
	const struct site_kind *kind;
	const char *folder; /* of the campaign */
	const struct campaign_order *order;
	double patience; /* seconds of a cluster that does not answer, after which `start` and `look` fail */
};

int site_here(const char *folder, const struct campaign_order *o, struct site **out, struct err *e);
int site_slurm(const char *folder, const struct campaign_order *o, struct site **out, struct err *e);

#endif
