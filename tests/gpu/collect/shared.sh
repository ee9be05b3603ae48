# What all calls of tests/gpu/run share: the programs, what the host has, and how a command is run and kept.
# A part writes into its folder $place: NAME.command, NAME.out, NAME.err and NAME.status (exit code, seconds, limit, and
# the limit that it would have had with enough time) of each command; `cannot` with the reason if the host lacks what it
# needs; `not_reached` if the time of the call was spent.
# shellcheck shell=sh disable=SC2154  # variables of tests/gpu/run

if [ -x "$here/bin/sonde" ]; then
  SONDE=$here/bin/sonde
  programs=$here/programs
  examples=$here/examples
else
  tree=$(cd "$here/../.." && pwd)
  SONDE=${SONDE:-$tree/build/release/sonde}
  programs=${GPU_PROGRAMS:-$(dirname "$SONDE")/tests/gpu}
  examples=$tree/examples
fi
export SONDE examples PYTHONDONTWRITEBYTECODE=1
program=$programs/gpu_program
python=${GPU_PYTHON:-python3}
device=${GPU_DEVICE:-cuda} # cpu: the PyTorch programs with tiny sizes, to try the kit itself

grace=${GPU_GRACE:-10} # seconds between SIGTERM and SIGKILL: a recorder writes its profile in them

cannot() {
  printf '%s\n' "$1" >"$place/cannot"
  return 1
}

not_reached() {
  echo "the $total s of this call are spent" >"$place/not_reached"
  return 1
}

least() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }

# Seconds that a command may still run in this call: $grace of them are kept for its end.
left() { echo $((end - $(date +%s) - grace)); }

# within LEFT WANTED COMMAND...: asks the command to end after the lesser time, and kills it $grace seconds later.
within() {
  limit=$1
  [ "$limit" -lt "$2" ] || limit=$2
  shift 2
  [ "$limit" -ge 1 ] || return 124
  timeout -k "$grace" "$limit" "$@"
}

# limited SECONDS COMMAND...: within that time and that of the call.
limited() { within "$(left)" "$@"; }

# step NAME SECONDS COMMAND...: runs it within its time and that of the call, and keeps all that it printed.
step() {
  step=$1
  wanted=$2
  shift 2
  began=$(date +%s)
  [ $((end - began - grace)) -ge 3 ] || not_reached || return 1
  printf '%s\n' "$*" >"$place/$step.command"
  within $((end - began - grace)) "$wanted" "$@" >"$place/$step.out" 2>"$place/$step.err" </dev/null
  code=$?
  echo "$code $(($(date +%s) - began)) $limit $wanted" >"$place/$step.status"
  return $code
}

# record NAME SECONDS OPTIONS... -- PROGRAM...: the profile is NAME.sqlite.
record() {
  name=$1
  seconds_of_record=$2
  shift 2
  step "$name" "$seconds_of_record" "$SONDE" record --self-test=false -f -o "$place/$name.sqlite" "$@"
}

# need WHAT...: fails, and notes why the part cannot run here, if the host lacks one of them.
need() {
  for what in "$@"; do
    known=$out/host/has_$what
    [ -s "$known" ] || look_for "$what" >"$known"
    read -r answer <"$known" || not_reached || return 1
    [ "$answer" = yes ] || cannot "$answer" || return 1
  done
}

# Prints yes, or why not.
look_for() {
  case $1 in
    gpu) answer_of "$program" devices ;;
    python) find_tool "$python" >/dev/null && echo yes || echo "no python3" ;;
    torch) look_for_torch ;;
    cupti) [ -s "$out/host/cupti" ] && echo yes || echo "no libcupti" ;;
    *) find_tool "$1" >/dev/null && echo yes || echo "no $1" ;;
  esac
}

# Starting PyTorch takes seconds: its versions are kept, too.
look_for_torch() {
  question='import torch; print(torch.__version__, torch.version.cuda, torch.backends.cudnn.version())'
  [ "$device" = cpu ] || question="$question; assert torch.cuda.is_available(), 'torch sees no GPU'"
  find_tool "$python" >/dev/null || { echo "no python3" && return; }
  answer_of "$python" -c "$question"
  cp "$out/host/asked" "$out/host/torch"
}

# Prints yes if the command succeeds, else its last line; nothing if the call has too little time left to know.
answer_of() {
  patience=60
  limited $patience "$@" >"$out/host/asked" 2>&1 </dev/null
  code=$?
  case $code in
    0) echo yes ;;
    124 | 137) [ "$limit" -lt $patience ] || echo "no answer within $limit s: $*" ;;
    *) tail -n 1 "$out/host/asked" | grep . || echo "it ended with $code: $*" ;;
  esac
}

# Prints the path of a tool, also where NVIDIA's installers put it.
find_tool() {
  command -v "$1" && return
  for folder in /usr/local/cuda/bin /opt/cuda/bin /opt/nvidia/nsight-compute/* /opt/nvidia/nsight-systems/*/bin; do
    [ -x "$folder/$1" ] && echo "$folder/$1" && return
  done
  return 1
}

# Prints the paths of CUPTI: the loader's, CUDA's, and those of Python's packages.
find_cupti() {
  { ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null; } | sed -n 's/.*libcupti\.so.* => //p'
  ls /usr/local/cuda*/lib64/libcupti.so.* /usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.* 2>/dev/null
  find_tool "$python" >/dev/null || return 0
  limited 30 "$python" - 2>/dev/null <<'TEXT'
import glob, sys
for folder in sys.path:
    print("\n".join(glob.glob(f"{folder}/nvidia/*/lib/libcupti.so.*")))
TEXT
}

# fact NAME COMMAND...: what the command prints, with its errors.
fact() {
  file=$out/host/$1
  shift
  limited 20 "$@" >"$file" 2>&1 </dev/null || true
}

# Facts that explain results: no names of users, and no environment.
look_at_host() {
  mkdir -p "$out/host"
  rm -f "$out/host/has_"*
  fact sonde "$SONDE" --version
  fact doctor "$SONDE" doctor
  fact uname uname -srvm
  fact os cat /etc/os-release
  fact libc sh -c 'ldd --version | head -n 1'
  fact cpus sh -c 'grep -m 1 "model name" /proc/cpuinfo; grep -c ^processor /proc/cpuinfo; grep MemTotal /proc/meminfo; id -u'
  fact nvidia_smi nvidia-smi
  fact nvidia_smi_q nvidia-smi -q
  fact driver_parameters cat /proc/driver/nvidia/params
  fact driver_version cat /proc/driver/nvidia/version
  look_for gpu >"$out/host/has_gpu"
  read -r answer <"$out/host/has_gpu" && [ "$answer" = yes ] || return 0
  fact packages "$python" -c 'import sys, importlib.metadata as found
print(sys.version, *sorted(f"{each.name} {each.version}" for each in found.distributions()), sep="\n")'
  find_cupti | while read -r found; do readlink -f "$found"; done | sort -u >"$out/host/cupti"
}

collect() {
  call=$1
  part=$2
  place=$out/$call.$part
  [ ! -e "$place" ] || rm -rf "$place"
  mkdir "$place"
  began_part=$(date +%s)
  if [ $((end - began_part - grace)) -lt 3 ]; then not_reached; else "${call}_$part"; fi
  took=$(($(date +%s) - began_part))
  echo "$took" >"$place/seconds"
  look_at_part
  printf '%-28s %4s s  %s\n' "$call.$part" "$took" "$outcome"
}

# Sets $outcome: one line of what a part did. What it means is the judge's affair.
look_at_part() {
  for reason in cannot not_reached; do
    [ -s "$place/$reason" ] || continue
    read -r outcome <"$place/$reason"
    case $reason in cannot) outcome="skipped: $outcome" ;; *) outcome="not reached: $outcome" ;; esac
    return
  done
  count=0
  said=''
  for status in "$place"/*.status; do
    [ -e "$status" ] || continue
    count=$((count + 1))
    read -r code _ <"$status"
    base=${status%.status}
    [ "$code" = 0 ] || said="$said; ${base##*/} ended with $code: $(tail -n 1 "$base.err")"
  done
  outcome="collected: $count commands$said"
}

# The table, by the judge if this host has Python, and the archive. The table is the last that is printed.
finish() {
  if find_tool "$python" >/dev/null; then
    timeout -k 1 "$judging" "$python" -B "$here/judge.py" "$out" "$@" >"$out/table" 2>&1
    code=$?
    [ $code -ne 124 ] || echo "Judging did not end within $judging s: judge the archive with run --from." >>"$out/table"
  else
    for name in "$@"; do
      place=$out/$name
      look_at_part
      printf '%-28s %s\n' "$name" "$outcome"
    done >"$out/table"
    echo "No python3 on this host: judge the archive on another one, with run --from." >>"$out/table"
    code=0
  fi
  tar -cf - -C "$(dirname "$out")" "$(basename "$out")" | gzip -1 >"$out.tar.gz" && echo "archive: $out.tar.gz"
  echo
  cat "$out/table"
  return $code
}
