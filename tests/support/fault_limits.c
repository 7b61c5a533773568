/* fault_limits.c - ways around the limits of a worker, for fault_worker. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "support/fault_worker.h"

#define CHILDREN 4
#define ENOUGH (FAULT_LIMIT + FAULT_LIMIT / 2)

static _Noreturn void wait_for_ever(void)
{
	for (;;)
		pause();
}

static char *map_and_fill(size_t n, int how)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		memset(p, 1, n);
	return p == MAP_FAILED ? NULL : p;
}

/* No process of them is too large. */
int fault_memory_of_children(struct err *e)
{
	for (int i = 0; i < CHILDREN; i++)
		if (!fork()) {
			setsid();
			map_and_fill(ENOUGH / CHILDREN, MAP_PRIVATE);
			wait_for_ever();
		}
	(void)e;
	wait_for_ever();
}

static void write_much(int fd, size_t n)
{
	char block[65536];

	memset(block, 1, sizeof block);
	for (size_t done = 0; done < n && write(fd, block, sizeof block) > 0;)
		done += sizeof block;
}

/* It is never mapped. */
int fault_memory_without_name(struct err *e)
{
	int fd = memfd_create("much", 0);

	if (fd < 0)
		return err_set(e, ERR_IO, "memfd_create: %s", strerror(errno));
	write_much(fd, ENOUGH);
	wait_for_ever();
}

/* Processes without end, or until there cannot be more. */
int fault_memory_of_many(struct err *e)
{
	(void)e;
	for (int i = 0; i < 1100; i++)
		if (!fork())
			wait_for_ever();
	wait_for_ever();
}

/* Several processes, each of which has all of it. */
int fault_shared_once(struct err *e)
{
	const struct timespec a_while = {0, 300000000}; /* somebody looks in the meantime */
	char *p = map_and_fill(FAULT_LIMIT / 2, MAP_SHARED);
	int ends[2];
	char x;

	if (!p || pipe(ends))
		return err_set(e, ERR_IO, "mmap: %s", strerror(errno));
	for (int i = 0; i < CHILDREN; i++)
		if (!fork()) {
			for (size_t k = 0; k < FAULT_LIMIT / 2; k += 4096)
				p[k]++;
			fault_put(ends[1], "x", 1);
			wait_for_ever();
		}
	for (int i = 0; i < CHILDREN; i++)
		if (read(ends[0], &x, 1) != 1)
			return err_set(e, ERR_INTERNAL, "a child did not start");
	nanosleep(&a_while, NULL);
	return 0;
}

int fault_fill_folder(struct err *e)
{
	int fd = open("much", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, "open: %s", strerror(errno));
	write_much(fd, ENOUGH);
	close(fd);
	wait_for_ever();
}

int fault_fill_removed(struct err *e)
{
	int fd = open("much", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || unlink("much"))
		return err_set(e, ERR_IO, "open: %s", strerror(errno));
	write_much(fd, ENOUGH);
	wait_for_ever();
}
