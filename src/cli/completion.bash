# bash completion for assay, written by `assay completion bash`
_assay()
{
	local line=${COMP_LINE:0:${COMP_POINT:-0}} cur=${COMP_WORDS[COMP_CWORD]} IFS=$' \t\n' breaks cut= head= words plain
	local -a typed=("${COMP_WORDS[@]:0:COMP_CWORD}")
	# Bash ends words at '@', ':' and '=', which are parts of a backend's name, and wants only what is behind them.
	if [ -n "$line" ]; then
		read -ra typed <<<"$line"
		cur=
		[[ $line == *[[:space:]] ]] || { cur=${typed[-1]}; unset 'typed[-1]'; }
		breaks=${COMP_WORDBREAKS//[^@:=]/}
		[ -z "$breaks" ] || cut=${cur%"${cur##*["$breaks"]}"}
	fi
	if [ ${#typed[@]} -eq 1 ]; then
		words=$(assay --complete 2>/dev/null | cut -f1)
		words="$words help --version"
	elif [ ${#typed[@]} -eq 2 ] && [ "${typed[1]}" = help ]; then
		words=$(assay --complete 2>/dev/null | cut -f1)
	else
		words=$(assay --complete "${typed[@]:1}" 2>/dev/null | cut -f1)
		# A word with a dash is an option, and any other is none.
		if [[ $cur == -* ]]; then words=$(grep '^-' <<<"$words"); else words=$(grep -v '^-' <<<"$words"); fi
	fi
	[[ $cur != *,* ]] || head=${cur%,*}, # of a list only the last name is completed
	# Names alone first; versions and options once '@' or ':' is typed, or nothing else fits.
	plain=$(grep -v '[@:]' <<<"$words")
	COMPREPLY=()
	[[ ${cur##*,} == *[@:]* ]] || COMPREPLY=($(compgen -P "$head" -W "${plain//<file>/}" -- "${cur##*,}"))
	[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -P "$head" -W "${words//<file>/}" -- "${cur##*,}"))
	COMPREPLY=("${COMPREPLY[@]#"$cut"}")
	if grep -qx '<file>' <<<"$words"; then
		compopt -o filenames 2>/dev/null
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o bashdefault -o default -F _assay assay
