/* search_status.h - how far a search is, on standard error. */
#ifndef CLI_SEARCH_STATUS_H
#define CLI_SEARCH_STATUS_H

#include "cli/status.h"
#include "methods/search/campaign.h"

struct search_status {
	struct status_screen status;
	const struct search_campaign *campaign;
	enum search_level level;
	size_t cases; /* of this run */
	double start;
};

void search_status_start(struct search_status *s, const struct search_campaign *c);
/* From search_campaign.progress: one more case. */
void search_status_case(struct search_status *s, enum search_level level, size_t done, size_t total);
void search_status_clear(struct search_status *s); /* something else is printed now */
void search_status_end(struct search_status *s);

#endif
