#!/usr/bin/env bash
# All that a GPU is needed for, in under five minutes, one stage after another:
#   tests/gpu/run.sh PACK_FOLDER OUT_FOLDER        (PACK_FOLDER from pack.sh)
# Each stage has its own limit, writes its files to OUT_FOLDER and a line to summary.csv, and a failed
# one does not stop the next. Exit status: 0 when all stages succeeded, else 4.
set -uo pipefail
[ $# = 2 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
pack=$(readlink -f "$1")
out=$2
mkdir -p "$out" || exit 3
out=$(readlink -f "$out")
failed=0

# PyTorch's own copies of cuBLAS and NCCL serve where the system has none.
libraries=$(python3 - <<'PYTHON' 2>/dev/null
import glob, site
print(":".join(sorted(folder for root in site.getsitepackages()
                      for folder in glob.glob(root + "/nvidia/*/lib"))))
PYTHON
)
export LD_LIBRARY_PATH="$pack/lib:$libraries:${LD_LIBRARY_PATH-}"

echo "stage,seconds,status" > "$out/summary.csv"
stage() {  # NAME LIMIT_S COMMAND...
  local name=$1 limit=$2 status=0 began=$SECONDS
  shift 2
  timeout "$limit" "$@" > "$out/$name.txt" 2>&1 || status=$?
  echo "$name,$((SECONDS - began)),$status" | tee -a "$out/summary.csv"
  [ $status = 0 ] || failed=1
}

stage machine 10 nvidia-smi -q
stage kernels 45 "$pack/compressors_kernels_gpu_test" --gtest_brief=1 --gtest_output="json:$out/kernels.json"
stage bandwidth 20 "$pack/device_bandwidth_gpu" $((1 << 27))
stage measure-fused 50 "$pack/gradwire" measure-compressors --device 0 --budget 40s -o "$out/fused.txtpb"
stage measure-2021 30 "$pack/gradwire" measure-compressors --device 0 --implementation 2021 --budget 20s \
  -o "$out/2021.txtpb"
stage pytorch 130 python3 "$here/capture_profiles.py" --out "$out/pytorch" --budget 110
stage compare 10 python3 "$here/compare_profiles.py" "$out/2021.txtpb" "$out/pytorch/cost_profile.txtpb" \
  "$out/fused.txtpb"
cat "$out/compare.txt"
[ $failed = 0 ] || exit 4
