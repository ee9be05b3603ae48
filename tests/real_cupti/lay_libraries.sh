#!/usr/bin/env bash
# lay_libraries.sh FOLDER: lays NVIDIA's libraries into FOLDER, as the tests beside this script look for them: CUPTI of
# CUDA 11.8 and 12.4 and two drivers from Debian's non-free packages, which are unpacked and not installed, and links to
# the CUPTI of an installed toolkit. Needs no root and no GPU. The mirror is the one that apt uses on this machine;
# SONDE_DEBIAN_MIRROR names another.
#
#   FOLDER/11.8, 12.4, toolkit    libcupti.so.* and what lies beside it
#   FOLDER/driver_535, driver_550 libcuda.so.1
set -euo pipefail
folder=$(realpath -m "${1:?where to? lay_libraries.sh FOLDER}")
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
work=$folder.work
laid=$work/laid # moved at the end: there is all of it or nothing

die() {
  echo "tests/real_cupti/lay_libraries.sh: $*" >&2
  exit 1
}

# The address of the Debian archive that apt reads.
mirror() {
  # shellcheck disable=SC2016  # apt fills in the name
  apt-get indextargets --format '$(SITE) $(REPO_URI)' 'Created-By: Packages' |
    awk '$2 ~ /\/debian\/?$/ { print $2; exit }'
}

# private_apt RELEASE COMMAND...: apt-get with lists and state of its own.
private_apt() {
  local state=$work/$1
  shift
  apt-get -q -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
    -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Sandbox::User=root "$@"
}

# unpack RELEASE PACKAGE...: into work/RELEASE/root
unpack() {
  local release=$1 package state=$work/$1
  shift
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/packages" "$state/root"
  : >"$state/status"
  echo "deb [signed-by=$keyring] $address $release non-free" >"$state/sources.list"
  private_apt "$release" update >"$state/update.log" 2>&1 || die "apt-get update of $release failed, see $state/update.log"
  (cd "$state/packages" && private_apt "$release" download "$@" >../download.log 2>&1) ||
    die "packages of $release could not be downloaded, see $state/download.log"
  for package in "$state/packages"/*.deb; do dpkg-deb -x "$package" "$state/root"; done
}

# lay RELEASE CUPTI DRIVER: what was unpacked
lay() {
  local from=$work/$1/root/usr/lib/x86_64-linux-gnu
  mkdir -p "$laid/$2" "$laid/driver_$3"
  cp -a "$from"/*.so* "$laid/$2"
  cp -a "$from"/nvidia/current/*.so* "$laid/driver_$3"
}

# The newest CUPTI of an installed toolkit, of CUDA 13 or later.
lay_toolkit() {
  local cupti library
  cupti=$(find /usr/local/cuda*/ -name 'libcupti.so.1[3-9]' 2>/dev/null | sort -V | tail -n 1)
  if [[ -z $cupti ]]; then
    echo "No toolkit of CUDA 13 or later in /usr/local/cuda*: its CUPTI is not tested."
    return
  fi
  mkdir -p "$laid/toolkit"
  for library in "$cupti" "$(dirname "$cupti")"/libnvperf_{host,target}.so; do
    ln -sf "$(realpath "$library")" "$laid/toolkit/$(basename "$library")"
  done
}

[[ -r $keyring ]] || die "$keyring is missing: install debian-archive-keyring"
address=${SONDE_DEBIAN_MIRROR:-$(mirror)}
[[ -n $address ]] || die "apt has no Debian archive on this machine: name one in SONDE_DEBIAN_MIRROR"
rm -rf "$folder" "$work"
mkdir -p "$laid"
unpack bookworm libcupti11.8 libcuda1
unpack trixie libcupti12 libcuda1
lay bookworm 11.8 535
lay trixie 12.4 550
lay_toolkit
mv "$laid" "$folder"
rm -rf "$work"
