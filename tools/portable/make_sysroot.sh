#!/usr/bin/env bash
# make_sysroot.sh [amd64|arm64]: unpacks what a portable build links with into build/sysroot/ARCHITECTURE of the tree.
# The C library is Debian 11's (glibc 2.31); everything else is Debian 12's, as archives only. Needs no root. The mirror
# is the one that apt uses on this machine; SONDE_DEBIAN_MIRROR names another.
set -euo pipefail
architecture=${1:-amd64}
cd "$(dirname "$0")/../.."

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
c_library=(libc6 libc6-dev)
libraries=(linux-libc-dev libboost1.81-dev libbz2-dev libcli11-dev libdeflate-dev libdw-dev libelf-dev
  libfmt-dev liblz4-dev liblzma-dev libncurses-dev libprotozero-dev libsimdjson-dev libspdlog-dev libsqlite3-dev libssl-dev
  libyaml-cpp-dev libzstd-dev nlohmann-json3-dev zlib1g-dev)
licenses=(gcc-12-base libbz2-1.0 libtinfo6) # texts that packages above link to
sources=(simdjson) # Debian has no archive of it

root=$PWD/build/sysroot/$architecture
work=$PWD/build/sysroot/$architecture.work
stamp=$root/made_by
[[ -f $stamp ]] && cmp -s "$0" "$stamp" && exit 0

die() {
  echo "tools/portable/make_sysroot.sh: $*" >&2
  exit 1
}

# The address of the Debian archive that apt reads.
mirror() {
  # shellcheck disable=SC2016  # apt fills in the name
  apt-get indextargets --format '$(SITE) $(REPO_URI)' 'Created-By: Packages' |
    awk '$2 ~ /\/debian\/?$/ { print $2; exit }'
}

# private_apt RELEASE COMMAND...: apt-get with lists and state of its own, for the architecture of the sysroot.
private_apt() {
  local release=$1 state=$work/$1
  shift
  apt-get -q -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
    -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User=root "$@"
}

prepare_apt() {
  local release=$1 state=$work/$1
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/packages"
  : >"$state/status"
  for kind in deb deb-src; do
    echo "$kind [signed-by=$keyring] $address $release main"
  done >"$state/sources.list"
  private_apt "$release" update >"$state/update.log" 2>&1 || die "apt-get update of $release failed, see $state/update.log"
}

# unpack RELEASE PACKAGE...
unpack() {
  local release=$1 package
  shift
  prepare_apt "$release"
  (cd "$work/$release/packages" && private_apt "$release" download "$@" >../download.log 2>&1) ||
    die "packages of $release could not be downloaded, see $work/$release/download.log"
  for package in "$work/$release/packages"/*.deb; do dpkg-deb -x "$package" "$root"; done
}

fetch_sources() {
  (cd "$work" && private_apt bookworm source --download-only "${sources[@]}" >source.log 2>&1) ||
    die "sources could not be downloaded, see $work/source.log"
  mkdir -p "$root/usr/src/simdjson"
  tar -xf "$work"/simdjson_*.orig.tar.gz -C "$root/usr/src/simdjson" --strip-components=2 --wildcards \
    '*/singleheader/simdjson.cpp' '*/singleheader/simdjson.h'
}

# Links that begin at / would lead out of the sysroot.
make_links_relative() {
  local link target
  while read -r link; do
    target=$(readlink "$link")
    ln -sfr "$root$target" "$link"
  done < <(find "$root" -type l -lname '/*')
}

# A shared library of Debian 12 needs a newer C library: its archive is to be linked.
remove_shared_libraries() {
  local names
  names=$(dpkg-deb --fsys-tarfile "$work"/bullseye/packages/libc6-dev_*.deb | tar -t)
  find "$root/usr/lib" -name '*.so' -printf './%P\n' | while read -r name; do
    grep -qxF "./usr/lib/${name#./}" <<<"$names" || rm "$root/usr/lib/$name"
  done
}

[[ -r $keyring ]] || die "$keyring is missing: install debian-archive-keyring"
address=${SONDE_DEBIAN_MIRROR:-$(mirror)}
[[ -n $address ]] || die "apt has no Debian archive on this machine: name one in SONDE_DEBIAN_MIRROR"
rm -rf "$root" "$work"
mkdir -p "$root" "$work"
unpack bullseye "${c_library[@]}"
unpack bookworm "${libraries[@]}" "${licenses[@]}"
make_links_relative
remove_shared_libraries
fetch_sources
rm -rf "$work"
cp "$0" "$stamp"
