#!/usr/bin/env bash
# make_kit.sh BUILD_FOLDER: makes build/gpu-kit, and build/gpu-kit.tar.gz of it, of a portable build: all that the tests on
# a GPU need on a host that has nothing of Sonde. At most 40 MB.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
kit=build/gpu-kit
largest=40000000

rm -rf "$kit" "$kit.tar.gz"
mkdir -p "$kit/bin" "$kit/lib/sonde" "$kit/programs" "$kit/readers" "$kit/examples"

strip -o "$kit/bin/sonde" "$build/sonde"
for library in libsonde_inject.so libsonde_audit.so sonde-self-test; do
  strip --strip-unneeded -o "$kit/lib/sonde/$library" "$build/$library"
done
cp -r "$build/torch_modules" "$kit/lib/sonde/"

cp -r tests/gpu/run tests/gpu/collect tests/gpu/*.py tests/gpu/torch_programs "$kit/"
cp "$build"/tests/gpu/kernels.* "$kit/programs/"
cp "$build"/tests/gpu/{gpu_program,kernel_cases,libgpu_probe.so} "$kit/programs/"
cp tests/tools/shared/_cuda.py tests/tools/shared/_recorded.py "$kit/readers/"
cp examples/rtdetr.py "$kit/examples/"
cp LICENSE "$kit/"
"$kit/run" --help >"$kit/README"
find "$kit" -name __pycache__ -prune -exec rm -r {} +

tools/portable/check_binaries.py "$kit"
size=$(du -sb "$kit" | cut -f 1)
if [[ $size -gt $largest ]]; then
  du -ab "$kit" | sort -rn | sed -n 1,20p >&2
  echo "./dev gpu-kit: the kit has $size bytes; the limit is $largest" >&2
  exit 1
fi
tar -czf "$kit.tar.gz" -C build gpu-kit
echo "$kit: $size bytes, $kit.tar.gz: $(stat -c %s "$kit.tar.gz") bytes. On the other host: gpu-kit/run first"
