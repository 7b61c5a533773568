/* cmd_completion.c - assay completion: scripts for shells.
 *
 * The scripts know nothing themselves: they ask `assay --complete [VERB [WORD…]]`, which prints "word<TAB>help" lines
 * from the tables that the verbs parse their options with. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"

int cmd_completion(struct cli *c);

extern const char bash_script[], zsh_script[], fish_script[]; /* completion.bash and so on */

static const struct {
	const char *name, *script;
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}, {NULL, NULL}};

static int run(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	int at;

	(void)arg;
	if (rest->n != 1)
		return err_set(e, ERR_USAGE, "completion needs the name of a shell: bash, zsh or fish");
	at = near_find(rest->at[0], strlen(rest->at[0]), &shells->name, sizeof *shells);
	if (at < 0)
		return near_refuse("completion", rest->at[0], &shells->name, sizeof *shells, e);
	fputs(shells[at].script, c->out);
	return CLI_OK;
}

int cmd_completion(struct cli *c)
{
	const struct cli_option options[] = {{0}};

	return cli_main(c, options, run, NULL);
}
