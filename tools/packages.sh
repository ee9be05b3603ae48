#!/usr/bin/env bash
# Installs what is missing of the named groups of tools/packages.txt: packages.sh GROUP... Says nothing when all is there.
set -euo pipefail
list=$(dirname "$0")/packages.txt

die() {
  echo "sonde: $*" >&2
  exit 1
}

# The lines of the named groups, without their comments.
wanted() {
  local groups
  groups=$(IFS='|' && echo "$*")
  sed -nE "s/^([^# ]+) +# ($groups):.*/\1/p" "$list"
}

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# The package is installed, or the command is there.
present() {
  if [[ $1 == command:* ]]; then
    command -v "${1#command:}" >/dev/null
  else
    installed "$1"
  fi
}

# Prints the first name of the line that the package archive has, or the first name where it has none.
available() {
  local name
  for name in "$@"; do
    if [[ $name != command:* ]] && apt-cache show "$name" >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
  echo "$1"
}

missing=()
while IFS='|' read -ra names; do
  for name in "${names[@]}"; do present "$name" && continue 2; done
  missing+=("$(IFS='|' && echo "${names[*]}")")
done < <(command -v dpkg-query >/dev/null && wanted "$@")

if ! command -v dpkg-query >/dev/null; then
  # Not Debian: whoever got the libraries some other way needs no apt. CMake names what it does not find.
  command -v cmake >/dev/null || die "this is not a Debian system; install what tools/packages.txt lists, then try again"
  exit 0
fi
[[ ${#missing[@]} -eq 0 ]] && exit 0

command -v apt-get >/dev/null || die "packages are missing (${missing[*]}) and there is no apt-get to install them with"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null ||
    die "packages are missing; there is no sudo here, so as root run: apt-get install ${missing[*]%%|*}"
  as_root=(sudo)
fi

echo "Installing Debian packages: ${missing[*]%%|*}"
"${as_root[@]}" apt-get update -q || die "apt-get update failed; is the network there?"
packages=()
for line in "${missing[@]}"; do
  IFS='|' read -ra names <<<"$line"
  packages+=("$(available "${names[@]}")")
done

# Debian has one Boost's headers at a time: 1.81 takes the place of 1.74. Nothing else may go.
plan=$(apt-get -s install --no-install-recommends "${packages[@]}") ||
  die "apt-get cannot install ${packages[*]}; its reason stands above"
removed=$(sed -nE 's/^Remv ([^ ]+) .*/\1/p' <<<"$plan")
while read -r name; do
  [[ -z $name || $name == libboost*-dev || $name == libboost*-dev:* ]] ||
    die "installing ${packages[*]} would remove $name; do it by hand if that is right"
done <<<"$removed"
[[ -z $removed ]] || echo "This replaces: $(tr '\n' ' ' <<<"$removed")"

"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}" ||
  die "apt-get could not install ${packages[*]}; its reason stands above"
