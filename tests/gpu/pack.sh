#!/usr/bin/env bash
# Puts what run.sh needs into one folder that a machine with a GPU can use without building:
#   tests/gpu/pack.sh BUILD_FOLDER PACK_FOLDER
# BUILD_FOLDER is configured with -DGRADWIRE_CUDA=ON -DGRADWIRE_TESTS=ON and, to keep it small, with
# -DCMAKE_CUDA_ARCHITECTURES of that GPU alone (90-real is an H100's or H200's). The libraries of this
# distribution go along, but for the C library, which must be as new there as here. The tracer's
# library stands beside gradwire, which looks for it there and holds the Python hook itself.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,8s/^# //p' "$0" >&2; exit 2; }
build=$1
pack=$2
mkdir -p "$pack/lib"
for program in gradwire libgradwire_tracer.so tests/traced_program tests/compressors_kernels_gpu_test \
  tests/device_bandwidth_gpu; do
  install -s "$build/$program" "$pack/"
  ldd "$build/$program" | awk '$2 == "=>" && $3 ~ "^/" { print $3 }'
done | sort -u | grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
  while read -r library; do cp -L "$library" "$pack/lib/"; done
du -sh "$pack"
