#!/usr/bin/env bash
# Measures a program and evaluates it with `sonde gate`. Each call runs one step: gate.sh STEP. GitHub Actions, Jenkins,
# GitLab CI and a terminal use the same steps. All input comes from the environment; all output is written to SONDE_OUT.
#
#   fetch        the baseline from its branch of the repository (if it is kept in a branch)
#   profile      run the program SONDE_RUNS times under the tool: new/run-1 ...
#   analyse      profile_summary.json and why.txt of the first run
#   gate         gate.json, gate.md, gate.xml, gate.sarif, report.html, exit-code; annotations on standard output
#   outcome      print pass, warning, fail, inconclusive, not_comparable or error
#   note-gitlab  write gate.md to the merge request as a note, or update the existing note
#   keep         keep the runs as the baseline, if the gate passed or there was no baseline to compare with
#   push         push the kept baseline to its branch
#   verdict      exit with the gate's exit code if its outcome is in SONDE_FAIL_ON, else with 0
set -euo pipefail

: "${SONDE:=sonde}"                                      # the program
: "${SONDE_COMMAND:=}"                                   # the measured command, run by bash
: "${SONDE_COMMAND_FILE:=}"                              # or a file that contains it
: "${SONDE_BASE_COMMAND:=}"                              # the old version; runs alternate with the new one
: "${SONDE_TOOL:=nsys}"                                  # nsys, sonde (sonde record), pytorch or none
: "${SONDE_NSYS_OPTIONS:=--trace=cuda,nvtx,osrt --sample=none --cpuctxsw=none}" # also for sonde record; split at blanks
: "${SONDE_RUNS:=10}"                                    # runs per side
: "${SONDE_BUDGET:=performance.yaml}"
: "${SONDE_BASELINE:=.sonde/baseline}"                   # folder of the baselines
: "${SONDE_BASELINE_NAME:=main}"                         # name of the baseline
: "${SONDE_KEEP_IN:=$SONDE_BASELINE}"                    # folder to which `keep` writes a new one
: "${SONDE_BRANCH:=sonde-baseline}"                      # branch of the repository, for `fetch` and `push`
: "${SONDE_COMMIT:=}"                                    # the measured commit
: "${SONDE_ACCEPT:=false}"                               # true: `keep` also keeps failed runs
: "${SONDE_GATE_OPTIONS:=}"                              # further options for `sonde gate`, split at blanks
: "${SONDE_FORMAT:=text}"                                # output format of `gate`
: "${SONDE_FAIL_ON:=fail not_comparable error}"          # outcomes that fail the job; also: inconclusive, warning
: "${SONDE_OUT:=sonde-gate}"                             # output folder
: "${SONDE_LOCK:=/tmp/sonde-gate.lock}"                  # jobs that measure on one machine wait for each other
export SONDE_BASELINE=${SONDE_BASELINE/#\~\//$HOME/}
SONDE_KEEP_IN=${SONDE_KEEP_IN/#\~\//$HOME/}

readonly kError=5  # exit code of `sonde gate` if an input cannot be read

say() { echo "gate.sh: $*" >&2; }
die() {
  say "$*"
  exit $kError
}
need() { command -v "$1" >/dev/null || die "'$1' was not found on this machine: $2"; }

# The runs of a side ("new" or "base"), in the order of their creation.
runs_of() { find "$SONDE_OUT/$1" -maxdepth 1 -type f -name 'run-*' 2>/dev/null | sort -V; }

# A later job waits for the lock. The file may belong to another user: then it is opened read-only.
lock_gpu() {
  need flock "install util-linux"
  [[ -e $SONDE_LOCK ]] || : >"$SONDE_LOCK"
  exec 9<"$SONDE_LOCK"
  flock --nonblock 9 || {
    say "another job measures on this machine; waiting for it"
    flock 9
  }
}

# Logs clocks and other processes of the GPU: the first thing to check if timings vary.
show_gpu() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi --query-gpu=index,name,driver_version,persistence_mode,clocks.sm,clocks.max.sm,temperature.gpu,power.draw \
    --format=csv || return 0
  local others
  others=$(nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader || true)
  [[ -z $others ]] || say "other processes use the GPU, so timings will vary more: $others"
}

# wall_time PROFILE COMMAND: a record of one run. The verdict on this single run is ignored.
wall_time() {
  local code=0
  "$SONDE" gate run --budget "$SONDE_BUDGET" -n 1 --max-runs 1 --warm-up 0 --show-output -f json \
    --keep "$1.kept" -- bash -c "$2" >/dev/null || code=$?
  [[ $code != 2 && $code -lt $kError ]] || return "$code"
  mv "$1.kept/new-01.record.json" "$1.record.json"
}

# measure SIDE NUMBER COMMAND: one run.
measure() {
  local profile=$SONDE_OUT/$1/run-$2 options
  say "run $2 of $SONDE_RUNS ($1)"
  case $SONDE_TOOL in
    nsys)
      read -r -a options <<<"$SONDE_NSYS_OPTIONS"
      nsys profile "${options[@]}" --force-overwrite=true -o "$profile" bash -c "$3"
      ;;
    sonde)
      read -r -a options <<<"$SONDE_NSYS_OPTIONS"
      "$SONDE" record "${options[@]}" --force-overwrite=true -o "$profile" bash -c "$3"
      ;;
    pytorch) SONDE_PROFILE=$profile.json bash -c "$3" ;;
    none) wall_time "$profile" "$3" ;;
  esac || die "run $2 ($1) ended with exit code $?; see its output above"
  compgen -G "$profile.*" >/dev/null || die "run $2 ($1) wrote no profile $profile.*$(hint)"
}

hint() {
  # shellcheck disable=SC2016  # printed literally
  [[ $SONDE_TOOL != pytorch ]] || echo '; the program must write its trace to the file in $SONDE_PROFILE'
}

step_profile() {
  local command=$SONDE_COMMAND number
  [[ -z $SONDE_COMMAND_FILE ]] || command=$(<"$SONDE_COMMAND_FILE")
  [[ -n $command ]] || die "SONDE_COMMAND is empty: no program to measure"
  [[ $SONDE_RUNS =~ ^[1-9][0-9]*$ ]] || die "SONDE_RUNS is '$SONDE_RUNS'; expected a number of runs"
  case $SONDE_TOOL in
    nsys) need nsys "install Nsight Systems, or choose the tool sonde, pytorch or none" ;;
    sonde | pytorch | none) ;;
    *) die "unknown tool '$SONDE_TOOL'; use nsys, sonde, pytorch or none" ;;
  esac
  mkdir -p "$SONDE_OUT"
  # Removes the output of an earlier job in the same folder.
  rm -rf "$SONDE_OUT"/{new,base,baseline} "$SONDE_OUT"/{exit-code,gate.*,report.html,profile_summary.json,why.txt}
  mkdir "$SONDE_OUT"/{new,base}
  lock_gpu
  show_gpu
  for ((number = 1; number <= SONDE_RUNS; ++number)); do
    # Old and new alternate, and each goes first equally often: a machine that warms up slows both equally.
    [[ -z $SONDE_BASE_COMMAND || $((number % 2)) == 0 ]] || measure base "$number" "$SONDE_BASE_COMMAND"
    measure new "$number" "$command"
    [[ -z $SONDE_BASE_COMMAND || $((number % 2)) == 1 ]] || measure base "$number" "$SONDE_BASE_COMMAND"
  done
}

step_analyse() {
  local first
  first=$(runs_of new | head -n 1)
  [[ -n $first ]] || die "no run in $SONDE_OUT/new: run the step profile first"
  if [[ $first == *.record.json ]]; then
    say "only wall time was measured: no profile to analyse"
    return
  fi
  "$SONDE" summary --json "$first" -o "$SONDE_OUT/profile_summary.json" --force-overwrite
  "$SONDE" why "$first" | tee "$SONDE_OUT/why.txt"
}

step_gate() {
  local base new options arguments code=0 file
  mapfile -t new < <(runs_of new)
  mapfile -t base < <(runs_of base)
  [[ ${#new[@]} -gt 0 ]] || die "no run in $SONDE_OUT/new: run the step profile first"
  read -r -a options <<<"$SONDE_GATE_OPTIONS"
  arguments=(--budget "$SONDE_BUDGET" "${options[@]}" -f "$SONDE_FORMAT" --force-overwrite)
  for file in json:gate.json markdown:gate.md junit:gate.xml sarif:gate.sarif html:report.html \
    codequality:gate.codequality.json github:gate.annotations; do
    arguments+=(-o "${file%%:*}:$SONDE_OUT/${file#*:}")
  done
  if [[ ${#base[@]} -gt 0 ]]; then
    arguments+=(--base "${base[@]}")
  else
    arguments+=(--baseline "$SONDE_BASELINE_NAME")
  fi
  "$SONDE" gate "${arguments[@]}" --new "${new[@]}" || code=$?
  echo "$code" >"$SONDE_OUT/exit-code"
  say "result of the gate: $(step_outcome)"
}

step_outcome() {
  local code
  code=$(cat "$SONDE_OUT/exit-code" 2>/dev/null) || code=$kError
  case $code in
    0) if grep -qs '^::warning' "$SONDE_OUT/gate.annotations"; then echo warning; else echo pass; fi ;;
    1) echo fail ;;
    3) echo inconclusive ;;
    4) echo not_comparable ;;
    *) echo error ;;
  esac
}

step_verdict() {
  local outcome code
  outcome=$(step_outcome)
  code=$(cat "$SONDE_OUT/exit-code" 2>/dev/null) || code=$kError
  if [[ " $SONDE_FAIL_ON " == *" $outcome "* ]]; then
    [[ $code != 0 ]] || code=1 # a warning that is configured to fail
    exit "$code"
  fi
  [[ $outcome == pass ]] || say "$outcome does not fail this job, only: $SONDE_FAIL_ON"
}

# Runs that the gate could not compare start a baseline: there was none for this machine, driver and tool.
step_keep() {
  local outcome runs
  outcome=$(step_outcome)
  case $outcome:$SONDE_ACCEPT in
    pass:* | warning:* | not_comparable:* | fail:true | inconclusive:true) ;;
    error:*) die "no runs to keep: the gate could not read the runs" ;;
    *)
      say "result of the gate: $outcome; the runs are not kept as the baseline (to accept them: SONDE_ACCEPT=true)"
      return
      ;;
  esac
  mapfile -t runs < <(runs_of new)
  "$SONDE" baseline add --store "$SONDE_KEEP_IN" --name "$SONDE_BASELINE_NAME" ${SONDE_COMMIT:+--commit "$SONDE_COMMIT"} \
    "${runs[@]}"
}

# Fetches the branch; false if it does not exist. If the repository cannot be queried, the step fails.
branch_is_there() {
  local code=0
  git ls-remote --exit-code origin "refs/heads/$SONDE_BRANCH" >/dev/null || code=$?
  [[ $code != 2 ]] || return 1 # git's own code for no match
  [[ $code == 0 ]] || die "git cannot query the branch $SONDE_BRANCH of the repository (see its message above)"
  git fetch --quiet --depth=1 origin "+refs/heads/$SONDE_BRANCH:refs/remotes/origin/$SONDE_BRANCH" ||
    die "git cannot fetch the branch $SONDE_BRANCH (see its message above)"
}

step_fetch() {
  mkdir -p "$SONDE_BASELINE"
  if branch_is_there; then
    git archive "refs/remotes/origin/$SONDE_BRANCH" | tar -x -C "$SONDE_BASELINE"
  else
    say "branch $SONDE_BRANCH does not exist yet: a run on the main branch creates it; until then there is no baseline"
  fi
}

# One commit on top of the branch, or its first. Another job may have pushed in that time: entries never conflict.
push_once() {
  local parent=() git_dir index tree commit
  git_dir=$(git rev-parse --absolute-git-dir)
  index=$git_dir/sonde-index
  rm -f "$index"
  if branch_is_there; then
    parent=(-p "refs/remotes/origin/$SONDE_BRANCH")
    GIT_INDEX_FILE=$index git read-tree "${parent[1]}" || return
  fi
  (cd "$SONDE_KEEP_IN" && GIT_DIR=$git_dir GIT_INDEX_FILE=$index GIT_WORK_TREE=. git add --force --ignore-removal .) || return
  tree=$(GIT_INDEX_FILE=$index git write-tree) || return
  commit=$(git -c user.name=sonde -c user.email=sonde@localhost commit-tree "$tree" "${parent[@]}" \
    -m "Baseline of ${SONDE_COMMIT:-a run that names no commit}") || return
  git push --quiet origin "$commit:refs/heads/$SONDE_BRANCH"
}

step_push() {
  local try
  [[ -n $(find "$SONDE_KEEP_IN" -type f 2>/dev/null | head -n 1) ]] || {
    say "no baseline was kept: nothing to push"
    return
  }
  for try in 1 2 3; do
    push_once && return
    say "push $try of 3 failed"
  done
  die "the branch $SONDE_BRANCH could not be pushed; does this job have write permission for the repository's contents?"
}

# Calls GitLab's API for the notes of this merge request; further arguments go to curl.
notes() {
  local path=$1
  shift
  curl --silent --show-error --fail --header "PRIVATE-TOKEN: $SONDE_GITLAB_TOKEN" "$@" \
    "$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes$path"
}

# The ID of the note that an earlier job wrote, from the JSON list on standard input.
own_note() {
  python3 -c 'import json, sys
mine = [note["id"] for note in json.load(sys.stdin) if note["body"].startswith("<!-- sonde-gate -->")]
print(mine[0] if mine else "")'
}

# A note that cannot be written must not hide the result of the gate: it is logged, and the job continues.
step_note_gitlab() {
  local note
  if [[ -z ${SONDE_GITLAB_TOKEN:-} || -z ${CI_MERGE_REQUEST_IID:-} ]]; then
    say "no note written: it needs a merge request and the variable SONDE_GITLAB_TOKEN"
    return
  fi
  if note=$(notes '?per_page=100&sort=asc' | own_note) &&
    if [[ -n $note ]]; then
      notes "/$note" --request PUT --data-urlencode "body@$SONDE_OUT/gate.md" --output /dev/null
    else
      notes '' --data-urlencode "body@$SONDE_OUT/gate.md" --output /dev/null
    fi; then
    say "the note of the merge request is up to date"
  else
    say "the note could not be written; does the token have the scope api, and the role Reporter?"
  fi
}

main() {
  local step=${1:-}
  declare -F "step_${step//-/_}" >/dev/null || {
    sed -n '2,/^set /{/^#/p}' "$0" >&2
    exit 2
  }
  "step_${step//-/_}"
}

main "$@"
