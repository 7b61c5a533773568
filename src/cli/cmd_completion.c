/* cmd_completion.c - assay completion: scripts for shells.
 *
 * The scripts know nothing themselves: they ask `assay --complete [VERB [WORD…]]`, which prints "word<TAB>help" lines
 * from the tables that the verbs parse their options with. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

int cmd_completion(struct cli *c);

static const char bash_script[] =
	"# bash completion for assay, written by `assay completion bash`\n"
	"_assay()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} words\n"
	"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	"\t\twords=$(assay --complete 2>/dev/null | cut -f1)\n"
	"\t\twords=\"$words help --version\"\n"
	"\telif [ \"$COMP_CWORD\" -eq 2 ] && [ \"${COMP_WORDS[1]}\" = help ]; then\n"
	"\t\twords=$(assay --complete 2>/dev/null | cut -f1)\n"
	"\telse\n"
	"\t\twords=$(assay --complete \"${COMP_WORDS[@]:1:COMP_CWORD-1}\" 2>/dev/null | cut -f1)\n"
	"\t\t[[ $cur == -* ]] || words=$(grep -v '^-' <<<\"$words\")\n"
	"\tfi\n"
	"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	"}\n"
	"complete -o bashdefault -o default -F _assay assay\n";

static const char zsh_script[] = "#compdef assay\n"
				 "# zsh completion for assay, written by `assay completion zsh`\n"
				 "_assay()\n"
				 "{\n"
				 "\tlocal -a items\n"
				 "\tif (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $words[2] == help ]]; }; then\n"
				 "\t\titems=(${(f)\"$(assay --complete 2>/dev/null)\"})\n"
				 "\t\titems=(${${items//:/\\\\:}/$'\\t'/:})\n"
				 "\t\t_describe verb items\n"
				 "\telse\n"
				 "\t\titems=(${(f)\"$(assay --complete ${words[2,CURRENT-1]} 2>/dev/null)\"})\n"
				 "\t\t[[ $PREFIX == -* ]] || items=(${items:#-*})\n"
				 "\t\titems=(${${items//:/\\\\:}/$'\\t'/:})\n"
				 "\t\t(( $#items )) && _describe word items || _files\n"
				 "\tfi\n"
				 "}\n"
				 "compdef _assay assay\n";

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
