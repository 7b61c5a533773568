/* cmd_completion.c - assay completion: scripts for shells.
 *
 * The scripts know nothing themselves: they ask `assay --complete [VERB [WORD…]]`, which prints "word<TAB>help" lines
 * from the tables that the verbs parse their options with. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

int cmd_completion(struct cli *c);

extern const char bash_script[], zsh_script[]; /* completion.bash and completion.zsh */

static const struct {
	const char *name, *script;
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}};

static int run(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	(void)arg;
	if (rest->n != 1)
		return err_set(e, ERR_USAGE, "completion needs the name of a shell: bash or zsh");
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (!strcmp(shells[i].name, rest->at[0])) {
			fputs(shells[i].script, c->out);
			return CLI_OK;
		}
	return err_set(e, ERR_USAGE, "no completion for '%s'; there is bash and zsh", rest->at[0]);
}

int cmd_completion(struct cli *c)
{
	const struct cli_option options[] = {{0}};

	return cli_main(c, options, run, NULL);
}
