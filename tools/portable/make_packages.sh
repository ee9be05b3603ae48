#!/usr/bin/env bash
# make_packages.sh BUILD_FOLDER: packs a portable build into build/packages and checks what was packed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
packages=$PWD/build/packages
work=$PWD/build/packages.work

# CPack adds its own working files and puts the debug symbols into a .ddeb.
rm -rf "$work" "$packages/_CPack_Packages"
mkdir -p "$work" "$packages"
(cd "$work" && cpack --config "$OLDPWD/$build/CPackConfig.cmake" -B "$work" >"$work/cpack.log" 2>&1) || {
  cat "$work/cpack.log" >&2
  exit 1
}
for symbols in "$work"/*.ddeb; do mv "$symbols" "${symbols%.ddeb}.deb"; done

mkdir "$work/archive" "$work/debian"
zstd -dcq "$work"/*.tar.zst | tar -x -C "$work/archive"
for package in "$work"/sonde_*.deb; do dpkg-deb -x "$package" "$work/debian"; done
tools/portable/check_binaries.py "$work/archive"
tools/portable/check_binaries.py "$work/debian"

mv "$work"/*.deb "$work"/*.tar.zst "$packages/"
rm -rf "$work"
(cd "$packages" && ls -l)
