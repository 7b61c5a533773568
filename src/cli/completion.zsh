#compdef assay
# zsh completion for assay, written by `assay completion zsh`
_assay()
{
	local -a items
	if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $words[2] == help ]]; }; then
		items=(${(f)"$(assay --complete 2>/dev/null)"})
		items=(${${items//:/\\:}/$'\t'/:})
		_describe verb items
	else
		items=(${(f)"$(assay --complete ${words[2,CURRENT-1]} 2>/dev/null)"})
		[[ $PREFIX == -* ]] || items=(${items:#-*})
		items=(${${items//:/\\:}/$'\t'/:})
		(( $#items )) && _describe word items || _files
	fi
}
compdef _assay assay
