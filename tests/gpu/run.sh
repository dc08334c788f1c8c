#!/usr/bin/env bash
# All that a GPU is needed for, in under five minutes, one stage after another:
#   tests/gpu/run.sh PACK_FOLDER OUT_FOLDER [STAGE...]        (PACK_FOLDER from pack.sh)
# Each stage has its own limit, writes its files to OUT_FOLDER and a line to summary.csv, and a failed
# one does not stop the next. With stages named, these alone. Exit status: 0 when all that ran
# succeeded, else 4.
set -uo pipefail
[ $# -ge 2 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
pack=$(readlink -f "$1")
out=$2
shift 2
wanted=" $* "
mkdir -p "$out" || exit 3
out=$(readlink -f "$out")
failed=0
ran=0

# Where the system has no CUPTI, cuBLAS and NCCL, PyTorch's own copies serve. What is packed finds its
# libraries by itself, and PyTorch must not find these.
libraries=$(python3 - <<'PYTHON' 2>/dev/null
import glob, site
print(":".join(sorted(folder for root in site.getsitepackages()
                      for folder in glob.glob(root + "/nvidia/*/lib"))))
PYTHON
)
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries:/usr/local/cuda/extras/CUPTI/lib64"

echo "stage,seconds,status" > "$out/summary.csv"
stage() {  # NAME LIMIT_S COMMAND...
  local name=$1 limit=$2 status=0 began=$SECONDS
  shift 2
  [ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || return 0
  timeout "$limit" "$@" > "$out/$name.txt" 2>&1 || status=$?
  echo "$name,$((SECONDS - began)),$status" | tee -a "$out/summary.csv"
  ran=$((ran + 1))
  [ $status = 0 ] || failed=1
}

stage machine 5 nvidia-smi -q
stage self-trace 20 "$pack/gradwire" trace --keep-capture -o "$out/self.gwt" -- "$pack/traced_program" "$out/self.json"
stage check-trace 5 python3 "$here/check_trace.py" "$out/self.gwc" "$out/self.json" "$out/self.gwt"
stage pytorch 120 python3 "$here/capture_profiles.py" --out "$out/pytorch" --budget 105 --gradwire "$pack/gradwire"
stage compare-traces 20 python3 "$here/compare_traces.py" "$pack/gradwire" "$out/pytorch"
stage kernels 40 "$pack/compressors_kernels_gpu_test" --gtest_brief=1 --gtest_output="json:$out/kernels.json"
stage bandwidth 15 "$pack/device_bandwidth_gpu" $((1 << 27))
stage measure-fused 40 "$pack/gradwire" measure-compressors --device 0 --budget 30s -o "$out/fused.txtpb"
stage measure-2021 25 "$pack/gradwire" measure-compressors --device 0 --implementation 2021 --budget 15s \
  -o "$out/2021.txtpb"
stage compare 5 python3 "$here/compare_profiles.py" "$out/2021.txtpb" "$out/pytorch/cost_profile.txtpb" \
  "$out/fused.txtpb"

show() {  # FILE PATTERN-TO-LEAVE-OUT
  [ ! -f "$out/$1" ] || { echo; grep -v "$2" "$out/$1"; }
}
show compare.txt '^$'
show compare-traces.txt ',ok$\|,shown$'
show check-trace.txt ',ok$'
echo
tr , '\t' < "$out/summary.csv"
[ $ran -gt 0 ] || { echo "run.sh: no stage is called$wanted" >&2; exit 2; }
[ $failed = 0 ] || exit 4
