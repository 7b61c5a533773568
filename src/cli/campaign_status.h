/* campaign_status.h - how far a campaign is, and what it came to. */
#ifndef CLI_CAMPAIGN_STATUS_H
#define CLI_CAMPAIGN_STATUS_H

#include <stdio.h>

#include "methods/campaign/lead.h"

/* lead_options.show, with a struct terminal_screen: a screen on a terminal, a line for each task that ends elsewhere.
 */
void campaign_status_show(const struct lead_status *status, void *screen);

/* The summary (lead_summary()) as text, without the counts by backend. */
void campaign_status_summary(FILE *out, const struct campaign_order *o, const json_t *summary);

#endif
