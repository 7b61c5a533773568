/* claim.c - which campaign of a store is being run (declared in campaign.h).
 *
 * A name without a file (an abstract socket) belongs to one process of the machine at a time, and is free again however
 * that process ends. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "methods/fuzz/campaign.h"

int campaign_claim(const char *db, int64_t id)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct stat st;
	int fd = stat(db, &st) ? -1 : socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "assay-campaign-%llx-%llx-%lld",
			 fd < 0 ? 0 : (unsigned long long)st.st_dev, fd < 0 ? 0 : (unsigned long long)st.st_ino,
			 (long long)id);

	if (fd < 0)
		return 0; /* who cannot ask goes on */
	if (!bind(fd, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)))
		return fd;
	n = errno;
	close(fd);
	return n == EADDRINUSE ? -1 : 0;
}
