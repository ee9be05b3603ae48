#!/bin/sh
# Installs Sonde from its archive for one user or all; needs no root where the prefix is writable. --help explains.
set -eu

usage() {
  cat <<'TEXT'
usage: install.sh [--prefix FOLDER] [ARCHIVE]
       install.sh [--prefix FOLDER] --uninstall

Installs sonde-VERSION-linux-PROCESSOR.tar.zst below FOLDER, or removes what it installed there.

  ARCHIVE          the archive, or the folder it was unpacked to (default: the folder of this script, or
                   build/packages of this tree)
  --prefix FOLDER  where to install (default: the variable PREFIX, else ~/.local)
  --uninstall      remove every file that an installation below FOLDER wrote
  --help           print this text
TEXT
}

die() {
  echo "install.sh: $*" >&2
  exit 1
}

# The archive or unpacked folder that belongs to this script.
default_source() {
  here=$(cd "$(dirname "$0")" && pwd)
  if [ -x "$here/bin/sonde" ]; then
    echo "$here"
    return
  fi
  for archive in "$here"/sonde-*-linux-"$(uname -m)".tar.zst "$here"/build/packages/sonde-*-linux-"$(uname -m)".tar.zst; do
    if [ -f "$archive" ]; then
      echo "$archive"
      return
    fi
  done
  die "there is no archive next to this script; name one (./dev package makes one, in build/packages)"
}

check_system() {
  [ "$(uname -s)" = Linux ] || die "Sonde runs on Linux only, this is $(uname -s)"
  version=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/^glibc //')
  [ -n "$version" ] || die "Sonde needs glibc 2.31 or later, and this system has another C library"
  oldest=$(printf '%s\n2.31\n' "$version" | sort -V | head -n 1)
  [ "$oldest" = 2.31 ] || die "Sonde needs glibc 2.31 or later, this system has $version"
}

check_prefix() {
  case $prefix in
    *[:\ ]*) die "'$prefix' contains a blank or a colon, which LD_PRELOAD cannot name; choose another --prefix" ;;
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
  esac
}

# Prints the folder that holds bin/sonde; unpacks an archive below $work first.
unpacked() {
  if [ -d "$1" ]; then
    cd "$1" && pwd
    return
  fi
  [ -f "$1" ] || die "there is no $1"
  command -v zstd >/dev/null || die "the command zstd is missing: install the package zstd, or unpack the archive elsewhere and name its folder"
  zstd -dcq "$1" | tar -x -C "$work" || die "$1 could not be unpacked"
  echo "$work"/*
}

# A running program keeps its file: each new one takes the name of the old one in one step.
put() {
  mkdir -p "$(dirname "$prefix/$1")"
  cp -P "$source/$1" "$prefix/$1.new.$$"
  mv -f "$prefix/$1.new.$$" "$prefix/$1"
}

remove_listed() {
  while IFS= read -r name; do
    rm -f "$prefix/$name"
    folder=$(dirname "$name")
    while [ "$folder" != . ] && rmdir "$prefix/$folder" 2>/dev/null; do folder=$(dirname "$folder"); done
  done
}

install_files() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  source=$(unpacked "${archive:-$(default_source)}")
  [ -x "$source/bin/sonde" ] || die "${archive:-$source} is not an archive of Sonde: it has no bin/sonde"
  "$source/bin/sonde" --version >/dev/null || die "this program does not run on this machine ($(uname -m)); take the archive for it"
  (cd "$source" && find bin lib share ! -type d | sort) >"$work.files"
  mkdir -p "$prefix/lib/sonde"
  while IFS= read -r name; do put "$name"; done <"$work.files"
  unit=$prefix/lib/systemd/system/sonde.service
  sed -i "s#/usr/bin/sonde#$prefix/bin/sonde#" "$unit"
  # An older version's files that this one does not have.
  if [ -f "$list" ]; then sort "$list" | comm -23 - "$work.files" | remove_listed; fi
  mv -f "$work.files" "$list"
  echo "installed $("$prefix/bin/sonde" --version) in $prefix"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "add it to the command path: export PATH=$prefix/bin:\$PATH" ;;
  esac
}

uninstall_files() {
  [ -f "$list" ] || die "there is no installation below $prefix ($list is missing)"
  names=$(cat "$list" && echo lib/sonde/installed_files)
  echo "$names" | remove_listed
  echo "removed Sonde from $prefix"
}

prefix=${PREFIX:-$HOME/.local}
archive=
action=install_files
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --uninstall) action=uninstall_files ;;
    --prefix)
      [ $# -gt 1 ] || die "--prefix needs a folder"
      prefix=$2
      shift
      ;;
    --prefix=*) prefix=${1#*=} ;;
    -*) die "unknown option $1; --help lists all" ;;
    *) archive=$1 ;;
  esac
  shift
done
check_prefix
list=$prefix/lib/sonde/installed_files
[ "$action" = uninstall_files ] || check_system
$action
