# fish completion for assay, written by `assay completion fish`
function __assay_words
	set -l typed (commandline -opc)[2..-1]
	set -l cur (commandline -ct)
	set -l words
	if test (count $typed) -eq 0
		set words (assay --complete 2>/dev/null) help --version
	else if test "$typed" = help
		set words (assay --complete 2>/dev/null)
	else
		set words (assay --complete $typed 2>/dev/null)
		string match -q -- '<file>*' $words; and set -l files yes
		# A word with a dash is an option, and any other is none.
		if string match -q -- '-*' $cur
			set words (string match -- '-*' $words)
			set -e files
		else
			set words (string match -v -- '-*' $words)
		end
		set words (string match -v -- '<file>*' $words)
		set -q files; and set -a words (__fish_complete_path $cur)
	end
	# Of a list only the last name is completed.
	set -l head (string match -r -- '^.*,' $cur)
	string replace -r -- '^' "$head" $words
end
complete -c assay -f -a '(__assay_words)'
