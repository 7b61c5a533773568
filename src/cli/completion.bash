# bash completion for assay, written by `assay completion bash`
_assay()
{
	local cur=${COMP_WORDS[COMP_CWORD]} words
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$(assay --complete 2>/dev/null | cut -f1)
		words="$words help --version"
	elif [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = help ]; then
		words=$(assay --complete 2>/dev/null | cut -f1)
	else
		words=$(assay --complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null | cut -f1)
		[[ $cur == -* ]] || words=$(grep -v '^-' <<<"$words")
	fi
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _assay assay
