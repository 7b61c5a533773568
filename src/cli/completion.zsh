#compdef assay
# zsh completion for assay, written by `assay completion zsh`
_assay()
{
	local -a items
	local files=
	if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $words[2] == help ]]; }; then
		items=(${(f)"$(assay --complete 2>/dev/null)"})
		items=(${${items//:/\\:}/$'\t'/:})
		_describe verb items
	else
		items=(${(f)"$(assay --complete ${words[2,CURRENT-1]} 2>/dev/null)"})
		# A word with a dash is an option, and any other is none, whatever matching the user has set.
		if [[ $PREFIX == -* ]]; then items=(${(M)items:#-*}); else items=(${items:#-*}); fi
		(( ! ${items[(I)<file>*]} )) || files=yes
		items=(${items:#<file>*})
		items=(${${items//:/\\:}/$'\t'/:})
		compset -P '*,' # of a list only the last name is completed
		(( $#items )) && _describe word items
		if [[ $PREFIX != -* ]] && { [[ -n $files ]] || (( ! $#items )) }; then
			_files
		fi
	fi
}
compdef _assay assay
