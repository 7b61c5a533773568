# Sourced by scripts/fresh and scripts/container: a bare Debian, and this machine's way to the network in it.

suite=${SUITE:-bookworm}

die() {
	echo "${0##*/}: $*" >&2
	exit 2
}

# The first archive that this machine's apt reads for the suite.
mirror() {
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 2>/dev/null |
		awk -v suite="$suite" '$1 == suite { print $2; exit }'
}

bare_debian() { # bare_debian ROOT OPTION...: with debootstrap, unless it is there
	local root=$1 url
	shift
	if [ -e "$root/etc/debian_version" ]; then
		return
	fi
	url=${MIRROR:-$(mirror)}
	[ -n "$url" ] || die "apt reads no archive for '$suite' here: give MIRROR=URL"
	echo "${0##*/}: bare $suite in $root"
	debootstrap --variant=minbase "$@" "$suite" "$root" "$url" >"$root.log" 2>&1 || {
		tail -20 "$root.log" >&2
		die "debootstrap failed; see $root.log"
	}
	rm -f "$root.log"
}

# Names, apt settings (not hooks or docker's clean-ups), pip settings, certificates.
lend_network() { # lend_network ROOT
	local root=$1 home file
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	cp -L /etc/hosts "$root/etc/hosts"
	for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/* /etc/apt/auth.conf.d/*; do
		if [ -f "$file" ] && grep -qiE '^[[:space:]]*(Acquire::[^I]|machine)' "$file"; then
			mkdir -p "$root$(dirname "$file")"
			cp -L "$file" "$root$file"
		fi
	done
	home=$(getent passwd root | cut -d: -f6)
	for file in /etc/pip.conf "$home/.config/pip/pip.conf" "$home/.pip/pip.conf" "${PIP_CONFIG_FILE:-}"; do
		if [ -n "$file" ] && [ -f "$file" ]; then
			mkdir -p "$root$(dirname "$file")"
			cp -L "$file" "$root$file"
		fi
	done
	if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
		mkdir -p "$root/etc/ssl/certs"
		cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
	fi
}

# Variables of the environment that programs find the network by, as NAME=VALUE.
network_variables() {
	local name
	while IFS= read -r name; do
		printf '%s=%s\n' "$name" "${!name}"
	done < <(compgen -e | grep -iE '^(PIP_[A-Z_]+|(https?|ftp|no)_proxy|SSL_CERT_FILE|REQUESTS_CA_BUNDLE)$')
}
