/* children.h - the children of this process, which has asked to adopt orphans below it: an end to all of them. */
#ifndef WORKER_SUPERVISOR_CHILDREN_H
#define WORKER_SUPERVISOR_CHILDREN_H

#include <stddef.h>
#include <sys/types.h>

/* Kills and reaps all children but the spared ones, and what they leave behind, until there is nothing more. */
void children_end(const pid_t *spared, size_t n);

#endif
