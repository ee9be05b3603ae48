#!/usr/bin/env bash
# Measures a program and runs `sonde gate`, one step per call: gate.sh STEP. GitHub Actions, Jenkins, GitLab CI and a
# terminal use the same steps. All input comes from the environment; all output is in SONDE_OUT.
#
#   fetch        fetch the baseline from its branch of the repository (if it is stored in one)
#   profile      run the program SONDE_RUNS times under the tool: new/run-1 ...
#   analyse      write profile_summary.json and why.txt of the first run
#   gate         write gate.json, gate.md, gate.xml, gate.sarif, report.html, exit-code; annotations on standard output
#   outcome      print pass, warning, fail, inconclusive, not_comparable or error
#   note-gitlab  write gate.md to the merge request, or update the existing note
#   keep         store the runs as the baseline if the gate passed or had no baseline to compare with
#   push         commit the stored baseline to its branch and push it
#   verdict      exit with the gate's exit code if its outcome is one of SONDE_FAIL_ON, otherwise with 0
set -euo pipefail

: "${SONDE:=sonde}"                                      # the sonde program
: "${SONDE_COMMAND:=}"                                   # command to measure, run by bash
: "${SONDE_COMMAND_FILE:=}"                              # or a file with the command
: "${SONDE_BASE_COMMAND:=}"                              # command of the old version, interleaved with the new one
: "${SONDE_TOOL:=nsys}"                                  # nsys, sonde (sonde record), pytorch or none
: "${SONDE_NSYS_OPTIONS:=--trace=cuda,nvtx,osrt --sample=none --cpuctxsw=none}" # also for sonde record; split at blanks
: "${SONDE_RUNS:=10}"                                    # runs per side
: "${SONDE_BUDGET:=performance.yaml}"
: "${SONDE_BASELINE:=.sonde/baseline}"                   # directory of the baselines
: "${SONDE_BASELINE_NAME:=main}"                         # name of the baseline
: "${SONDE_KEEP_IN:=$SONDE_BASELINE}"                    # directory in which `keep` stores a new one
: "${SONDE_BRANCH:=sonde-baseline}"                      # branch of the repository for `fetch` and `push`
: "${SONDE_COMMIT:=}"                                    # measured commit
: "${SONDE_ACCEPT:=false}"                               # true: `keep` also stores runs that failed
: "${SONDE_GATE_OPTIONS:=}"                              # more options of `sonde gate`, split at blanks
: "${SONDE_FORMAT:=text}"                                # format of `gate` on standard output
: "${SONDE_FAIL_ON:=fail not_comparable error}"          # outcomes that fail the job; also: inconclusive, warning
: "${SONDE_OUT:=sonde-gate}"                             # output directory
: "${SONDE_LOCK:=/tmp/sonde-gate.lock}"                  # lock file: one job at a time measures on a machine
export SONDE_BASELINE=${SONDE_BASELINE/#\~\//$HOME/}
SONDE_KEEP_IN=${SONDE_KEEP_IN/#\~\//$HOME/}

readonly kError=5  # exit code of `sonde gate` if an input could not be read

say() { echo "gate.sh: $*" >&2; }
die() {
  say "$*"
  exit $kError
}
need() { command -v "$1" >/dev/null || die "there is no '$1' on this machine: $2"; }

# The runs of a side ("new" or "base"), in the order in which they ran.
runs_of() { find "$SONDE_OUT/$1" -maxdepth 1 -type f -name 'run-*' 2>/dev/null | sort -V; }

# Later jobs wait. The lock file may belong to another user, so it is only opened for reading.
lock_gpu() {
  need flock "install util-linux"
  [[ -e $SONDE_LOCK ]] || : >"$SONDE_LOCK"
  exec 9<"$SONDE_LOCK"
  flock --nonblock 9 || {
    say "another job is measuring on this machine; waiting for it"
    flock 9
  }
}

# Prints GPU clocks and other GPU processes to the job log. Check them first if metrics vary.
show_gpu() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi --query-gpu=index,name,driver_version,persistence_mode,clocks.sm,clocks.max.sm,temperature.gpu,power.draw \
    --format=csv || return 0
  local others
  others=$(nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader || true)
  [[ -z $others ]] || say "other processes use the GPU, so times will vary more: $others"
}

# wall_time PROFILE COMMAND: a record of one run. The gate's decision about this single run is ignored.
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
  # shellcheck disable=SC2016  # the variable name is part of the message
  [[ $SONDE_TOOL != pytorch ]] || echo '; the program must write its trace to the file named by $SONDE_PROFILE'
}

step_profile() {
  local command=$SONDE_COMMAND number
  [[ -z $SONDE_COMMAND_FILE ]] || command=$(<"$SONDE_COMMAND_FILE")
  [[ -n $command ]] || die "SONDE_COMMAND is empty; set it to the command to measure"
  [[ $SONDE_RUNS =~ ^[1-9][0-9]*$ ]] || die "SONDE_RUNS is '$SONDE_RUNS'; it must be a positive integer"
  case $SONDE_TOOL in
    nsys) need nsys "install Nsight Systems, or choose the tool sonde, pytorch or none" ;;
    sonde | pytorch | none) ;;
    *) die "unknown SONDE_TOOL '$SONDE_TOOL'; use nsys, sonde, pytorch or none" ;;
  esac
  mkdir -p "$SONDE_OUT"
  # Remove results of an earlier job in the same directory.
  rm -rf "$SONDE_OUT"/{new,base,baseline} "$SONDE_OUT"/{exit-code,gate.*,report.html,profile_summary.json,why.txt}
  mkdir "$SONDE_OUT"/{new,base}
  lock_gpu
  show_gpu
  for ((number = 1; number <= SONDE_RUNS; ++number)); do
    # Old and new runs are interleaved and alternate in order, so machine warm-up affects both equally.
    [[ -z $SONDE_BASE_COMMAND || $((number % 2)) == 0 ]] || measure base "$number" "$SONDE_BASE_COMMAND"
    measure new "$number" "$command"
    [[ -z $SONDE_BASE_COMMAND || $((number % 2)) == 1 ]] || measure base "$number" "$SONDE_BASE_COMMAND"
  done
}

step_analyse() {
  local first code=0
  first=$(runs_of new | head -n 1)
  [[ -n $first ]] || die "there is no run in $SONDE_OUT/new; run the step 'profile' first"
  if [[ $first == *.record.json ]]; then
    say "only wall time was measured, so there is no profile to analyse"
    return
  fi
  "$SONDE" summary --json "$first" -o "$SONDE_OUT/profile_summary.json" --force-overwrite
  # 3: nothing worth fixing, 4: could not look. Both are answers.
  "$SONDE" why "$first" >"$SONDE_OUT/why.txt" || code=$?
  cat "$SONDE_OUT/why.txt"
  case $code in 0 | 3 | 4) ;; *) exit "$code" ;; esac
}

step_gate() {
  local base new options arguments code=0 file
  mapfile -t new < <(runs_of new)
  mapfile -t base < <(runs_of base)
  [[ ${#new[@]} -gt 0 ]] || die "there is no run in $SONDE_OUT/new; run the step 'profile' first"
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
  say "gate outcome: $(step_outcome)"
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
    [[ $code != 0 ]] || code=1 # a warning listed in SONDE_FAIL_ON
    exit "$code"
  fi
  [[ $outcome == pass ]] || say "outcome $outcome does not fail this job (SONDE_FAIL_ON: $SONDE_FAIL_ON)"
}

# not_comparable starts a new baseline: there was none, or none for this machine, driver and tool.
step_keep() {
  local outcome runs
  outcome=$(step_outcome)
  case $outcome:$SONDE_ACCEPT in
    pass:* | warning:* | not_comparable:* | fail:true | inconclusive:true) ;;
    error:*) die "no baseline to store: the gate could not read the runs" ;;
    *)
      say "gate outcome $outcome: the runs are not stored as the baseline (SONDE_ACCEPT=true accepts them)"
      return
      ;;
  esac
  mapfile -t runs < <(runs_of new)
  "$SONDE" baseline add --store "$SONDE_KEEP_IN" --name "$SONDE_BASELINE_NAME" ${SONDE_COMMIT:+--commit "$SONDE_COMMIT"} \
    "${runs[@]}"
}

# Fetches the branch; false if it does not exist. The step fails if the repository cannot be reached.
fetch_branch() {
  local code=0
  git ls-remote --exit-code origin "refs/heads/$SONDE_BRANCH" >/dev/null || code=$?
  [[ $code != 2 ]] || return 1 # git's exit code for no match
  [[ $code == 0 ]] || die "git cannot query the repository for the branch $SONDE_BRANCH (see its message above)"
  git fetch --quiet --depth=1 origin "+refs/heads/$SONDE_BRANCH:refs/remotes/origin/$SONDE_BRANCH" ||
    die "git cannot fetch the branch $SONDE_BRANCH (see its message above)"
}

step_fetch() {
  mkdir -p "$SONDE_BASELINE"
  if fetch_branch; then
    git archive "refs/remotes/origin/$SONDE_BRANCH" | tar -x -C "$SONDE_BASELINE"
  else
    say "the branch $SONDE_BRANCH does not exist yet; a run on the main branch creates the baseline"
  fi
}

# Adds one commit to the branch, or creates it. Other jobs may push at the same time; entries never collide.
push_once() {
  local parent=() git_dir index tree commit
  git_dir=$(git rev-parse --absolute-git-dir)
  index=$git_dir/sonde-index
  rm -f "$index"
  if fetch_branch; then
    parent=(-p "refs/remotes/origin/$SONDE_BRANCH")
    GIT_INDEX_FILE=$index git read-tree "${parent[1]}" || return
  fi
  (cd "$SONDE_KEEP_IN" && GIT_DIR=$git_dir GIT_INDEX_FILE=$index GIT_WORK_TREE=. git add --force --ignore-removal .) || return
  tree=$(GIT_INDEX_FILE=$index git write-tree) || return
  commit=$(git -c user.name=sonde -c user.email=sonde@localhost commit-tree "$tree" "${parent[@]}" \
    -m "Baseline of ${SONDE_COMMIT:-a run without a commit}") || return
  git push --quiet origin "$commit:refs/heads/$SONDE_BRANCH"
}

step_push() {
  local try
  [[ -n $(find "$SONDE_KEEP_IN" -type f 2>/dev/null | head -n 1) ]] || {
    say "no baseline was stored, so there is nothing to push"
    return
  }
  for try in 1 2 3; do
    push_once && return
    say "push $try of 3 failed"
  done
  die "the branch $SONDE_BRANCH could not be pushed; does this job have write permission for the repository's contents?"
}

# Calls GitLab's notes API of this merge request; further arguments are passed to curl.
notes() {
  local path=$1
  shift
  curl --silent --show-error --fail --header "PRIVATE-TOKEN: $SONDE_GITLAB_TOKEN" "$@" \
    "$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes$path"
}

# ID of the note that an earlier job wrote, from the JSON list on standard input.
own_note() {
  python3 -c 'import json, sys
mine = [note["id"] for note in json.load(sys.stdin) if note["body"].startswith("<!-- sonde-gate -->")]
print(mine[0] if mine else "")'
}

# A failure to write the note is only logged, so it does not hide the gate's outcome.
step_note_gitlab() {
  local note
  if [[ -z ${SONDE_GITLAB_TOKEN:-} || -z ${CI_MERGE_REQUEST_IID:-} ]]; then
    say "no note was written: this needs a merge request and the variable SONDE_GITLAB_TOKEN"
    return
  fi
  if note=$(notes '?per_page=100&sort=asc' | own_note) &&
    if [[ -n $note ]]; then
      notes "/$note" --request PUT --data-urlencode "body@$SONDE_OUT/gate.md" --output /dev/null
    else
      notes '' --data-urlencode "body@$SONDE_OUT/gate.md" --output /dev/null
    fi; then
    say "the note on the merge request was written"
  else
    say "the note could not be written; check that the token has the scope api and the role Reporter"
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
