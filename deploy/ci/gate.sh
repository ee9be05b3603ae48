#!/usr/bin/env bash
# Measures a program and runs `sonde gate`, one step per call: gate.sh STEP. GitHub Actions, Jenkins, GitLab CI and a
# terminal use the same steps. All input comes from the environment; all output is in SONDE_OUT.
#
#   fetch        fetch the baseline from its branch of the repository (if it is stored in one)
#   profile      run the program under the tool with `sonde gate run`, which also decides: runs, gate.json, gate.md, gate.xml,
#                gate.sarif, report.html, gate.txt, gate.annotations, exit-code
#   analyse      write profile_summary.json and why.txt of the first run
#   gate         print the decision
#   outcome      print pass, warning, learning, fail, inconclusive, not_comparable or error
#   note-gitlab  write gate.md to the merge request, or update the existing note
#   keep         store the runs as the baseline if the gate passed, is still learning, or had nothing to compare with
#   push         commit the stored baseline to its branch and push it
#   verdict      exit with the gate's exit code if its outcome is one of SONDE_FAIL_ON, otherwise with 0
set -euo pipefail

: "${SONDE:=sonde}"                                      # the sonde program
: "${SONDE_COMMAND:=}"                                   # command to measure, run by bash
: "${SONDE_COMMAND_FILE:=}"                              # or a file with the command
: "${SONDE_BASE_COMMAND:=}"                              # command of the old version, interleaved with the new one
: "${SONDE_BUILD:=}"                                     # builds a checkout ("true" if nothing needs to be built)
: "${SONDE_BASE_COMMIT:=}"                               # with SONDE_BUILD: built too, and interleaved with the new version
: "${SONDE_TOOL:=nsys}"                                  # nsys, sonde (sonde record), pytorch, custom or none
: "${SONDE_NSYS_OPTIONS:=--trace=cuda,nvtx,osrt --sample=none --cpuctxsw=none}" # also for sonde record; split at blanks
: "${SONDE_RUNS:=10}"                                    # runs per side
: "${SONDE_MAX_RUNS:=}"                                  # the same if interleaved runs do not decide; 3 times SONDE_RUNS
: "${SONDE_BUDGET:=performance.yaml}"
: "${SONDE_BASELINE:=.sonde/baseline}"                   # directory of the baselines
: "${SONDE_BASELINE_NAME:=main}"                         # name of the baseline
: "${SONDE_KEEP_IN:=$SONDE_BASELINE}"                    # directory in which `keep` stores a new one
: "${SONDE_BRANCH:=sonde-baseline}"                      # branch of the repository for `fetch` and `push`
: "${SONDE_COMMIT:=}"                                    # measured commit
: "${SONDE_ACCEPT:=false}"                               # true: `keep` also stores runs that failed
: "${SONDE_GATE_OPTIONS:=}"                              # more options of `sonde gate run`, split at blanks
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

# Sets `words`: COMMAND under the tool. `sonde gate run` replaces {profile} with a path without ending for each run.
words_of() {
  local options
  read -r -a options <<<"$SONDE_NSYS_OPTIONS"
  case $SONDE_TOOL in
    nsys) words=(nsys profile "${options[@]}" --force-overwrite=true -o '{profile}' bash -c "$1") ;;
    sonde) words=("$SONDE" record "${options[@]}" --force-overwrite=true -o '{profile}' bash -c "$1") ;;
    pytorch) words=(env 'SONDE_PROFILE={profile}.json' bash -c "$1") ;;
    custom) words=(env 'SONDE_PROFILE={profile}' bash -c "$1") ;;
    none) words=(bash -c "$1") ;;
    *) die "unknown SONDE_TOOL '$SONDE_TOOL'; use nsys, sonde, pytorch, custom or none" ;;
  esac
}

# Words as one shell command.
quoted() { printf "'%s' " "${@//\'/\'\\\'\'}"; }

# What the runs are compared with, as options of `sonde gate run` in `base`.
choose_base() {
  local tree
  if [[ -n $SONDE_BASE_COMMAND ]]; then
    words_of "$SONDE_BASE_COMMAND"
    base=(--base-command "$(quoted "${words[@]}")")
  elif [[ -n $SONDE_BUILD && -n $SONDE_BASE_COMMIT ]] && tree=$(build_base); then
    base=(--base-dir "$tree")
  else
    base=(--baseline "$SONDE_BASELINE_NAME")
    say "no base is built, so the runs are compared with the stored baseline; changes smaller than the spread between \
its entries are not found (SONDE_BUILD and SONDE_BASE_COMMIT interleave)"
  fi
}

# Checks the base commit out beside this tree and builds it. Prints its folder; false if that cannot be done.
build_base() {
  local tree=$PWD/.sonde/base
  {
    git cat-file -e "$SONDE_BASE_COMMIT^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$SONDE_BASE_COMMIT"
    git worktree remove --force "$tree" 2>/dev/null || rm -rf "$tree"
    git worktree prune
    git worktree add --quiet --force --detach "$tree" "$SONDE_BASE_COMMIT" &&
      (cd "$tree" && bash -c "$SONDE_BUILD")
  } >&2 || {
    say "the base $SONDE_BASE_COMMIT cannot be checked out or built (see above)"
    return 1
  }
  echo "$tree"
}

check_profile_settings() {
  need "$SONDE" "install Sonde, or set SONDE to the path of the program"
  [[ -n $command ]] || die "SONDE_COMMAND is empty; set it to the command to measure"
  [[ $SONDE_RUNS =~ ^[1-9][0-9]*$ ]] || die "SONDE_RUNS is '$SONDE_RUNS'; it must be a positive integer"
  [[ $SONDE_TOOL != nsys ]] || need nsys "install Nsight Systems, or choose the tool sonde, pytorch, custom or none"
  "$SONDE" gate --budget "$SONDE_BUDGET" --validate >&2 || die "the budget $SONDE_BUDGET cannot be used"
}

hint() {
  # shellcheck disable=SC2016  # the variable name is part of the message
  case $SONDE_TOOL in
    pytorch) echo '; the program must write its trace to the file named by $SONDE_PROFILE' ;;
    custom) echo '; the command must write a profile whose path begins with $SONDE_PROFILE' ;;
  esac
}

step_profile() {
  local command=$SONDE_COMMAND words base options arguments file code=0
  [[ -z $SONDE_COMMAND_FILE ]] || command=$(<"$SONDE_COMMAND_FILE")
  check_profile_settings
  mkdir -p "$SONDE_OUT"
  # Remove results of an earlier job in the same directory.
  rm -rf "$SONDE_OUT"/{runs,baseline} "$SONDE_OUT"/{exit-code,gate.*,report.html,profile_summary.json,why.txt}
  lock_gpu
  show_gpu
  choose_base
  words_of "$command"
  read -r -a options <<<"$SONDE_GATE_OPTIONS"
  arguments=(--budget "$SONDE_BUDGET" -n "$SONDE_RUNS" --max-runs "${SONDE_MAX_RUNS:-$((3 * SONDE_RUNS))}" --keep "$SONDE_OUT/runs"
    --show-output --force-overwrite "${base[@]}" "${options[@]}")
  for file in text:gate.txt json:gate.json markdown:gate.md junit:gate.xml sarif:gate.sarif html:report.html \
    codequality:gate.codequality.json github:gate.annotations; do
    arguments+=(-o "${file%%:*}:$SONDE_OUT/${file#*:}")
  done
  "$SONDE" gate run "${arguments[@]}" -- "${words[@]}" || code=$?
  [[ $code != 2 && $code -lt $kError ]] || die "the runs could not be made or judged; see the output above$(hint)"
  echo "$code" >"$SONDE_OUT/exit-code"
}

# The profile of the first run; of several ranks their folder. Nothing if only wall time was measured.
first_profile() {
  local ending folder=$SONDE_OUT/runs/new-01
  for ending in sqlite nsys-rep ncu-rep ncu-repz json.gz json; do
    [[ ! -f $folder/profile.$ending ]] || {
      echo "$folder/profile.$ending"
      return
    }
  done
  ! compgen -G "$folder/profile*" >/dev/null || echo "$folder"
}

step_analyse() {
  local first code=0
  [[ -d $SONDE_OUT/runs ]] || die "there is no run in $SONDE_OUT/runs; run the step 'profile' first"
  first=$(first_profile)
  if [[ -z $first ]]; then
    say "only wall time was measured, so there is no profile to analyse"
    return
  fi
  need "$SONDE" "install Sonde, or set SONDE to the path of the program"
  "$SONDE" summary --json "$first" -o "$SONDE_OUT/profile_summary.json" --force-overwrite
  # 3: nothing worth fixing, 4: could not look. Both are answers.
  "$SONDE" why "$first" >"$SONDE_OUT/why.txt" || code=$?
  cat "$SONDE_OUT/why.txt"
  case $code in 0 | 3 | 4) ;; *) exit "$code" ;; esac
}

step_gate() {
  [[ -f $SONDE_OUT/exit-code ]] || die "there is no decision in $SONDE_OUT; run the step 'profile' first"
  case $SONDE_FORMAT in
    github) cat "$SONDE_OUT/gate.annotations" ;;
    *) cat "$SONDE_OUT/gate.txt" ;;
  esac
  say "gate outcome: $(step_outcome)"
}

step_outcome() {
  local code
  code=$(cat "$SONDE_OUT/exit-code" 2>/dev/null) || code=$kError
  case $code in
    0)
      if grep -qs '^::warning' "$SONDE_OUT/gate.annotations"; then
        echo warning
      elif tail -n 1 "$SONDE_OUT/gate.txt" 2>/dev/null | grep -q '^learning:'; then
        echo learning
      else
        echo pass
      fi
      ;;
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
  [[ $outcome == pass || $outcome == learning ]] || say "outcome $outcome does not fail this job (SONDE_FAIL_ON: $SONDE_FAIL_ON)"
}

# not_comparable starts a new baseline: there was none for this machine, driver and tool.
step_keep() {
  local outcome level=()
  outcome=$(step_outcome)
  case $outcome:$SONDE_ACCEPT in
    pass:* | warning:* | learning:* | not_comparable:* | inconclusive:true) ;;
    fail:true) level=(--new-level) ;; # what was measured before is no longer expected
    error:*) die "no baseline to store: the gate could not read the runs" ;;
    *)
      say "gate outcome $outcome: the runs are not stored as the baseline (SONDE_ACCEPT=true accepts them)"
      return
      ;;
  esac
  "$SONDE" baseline add --store "$SONDE_KEEP_IN" --name "$SONDE_BASELINE_NAME" "${level[@]}" \
    ${SONDE_COMMIT:+--commit "$SONDE_COMMIT"} "$SONDE_OUT"/runs/new-*.record.json
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
