#include "cli/gate_runs/run_maker.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>

#include "base/system/event_count.h"
#include "base/text/command_words.h"
#include "base/text/privacy.h"
#include "cli/gate_runs/cpu_time.h"
#include "cli/gate_runs/other_load.h"
#include "cli/runs/run_records.h"
#include "gate/record/record_json.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace {

/// What a program printed last says why it failed.
std::string last_lines(const std::string& file) {
  constexpr size_t kLines = 10;
  std::ifstream stream(file);
  std::deque<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
    if (lines.size() > kLines) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += fmt::format("\n  | {}", line);
  return text;
}

Status write_record(const std::string& file, const gate::RunRecord& record) {
  std::ofstream stream(file, std::ios::binary);
  stream << gate::record_json(record);
  stream.close();
  if (!stream) return fail("cannot write {}", file);
  return {};
}

/// Absent where the machine does not count the event, or lets nobody count it.
std::optional<int64_t> read_count(const Result<EventCount>& count) {
  if (!count) return std::nullopt;
  const auto value = count->read();
  return value ? std::optional(*value) : std::nullopt;
}

}  // namespace

std::string why_no_counts() {
  const auto count = EventCount::of_programs(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
  return count ? std::string() : count.error().message;
}

gate::RunRecord wall_time_record(const RunCommand& command, int64_t wall_ns, const MachineState& state) {
  gate::RunRecord record;
  record.source = without_paths(command_line(command.words));
  record.conditions = machine_conditions(state);
  record.conditions["kind"] = "wall time";
  record.conditions["tool"] = "sonde gate run";
  record.wall_ns = record.extent_ns = wall_ns;
  return record;
}

RunMaker::RunMaker(SubprocessRunner& runner, RunFolder& folder, RunMakerOptions options)
    : runner_(runner),
      folder_(folder),
      options_(std::move(options)),
      probe_(runner, folder.path() + "/nvidia-smi.csv"),
      processors_(options_.processors.empty() ? allowed_processors() : options_.processors) {}

Result<SubprocessEnd> RunMaker::run_measured(const Subprocess& program, Try& made) {
  const OnProcessors here(options_.processors);
  if (!here.status()) return std::unexpected(here.status().error());
  const auto instructions = EventCount::of_programs(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
  const auto cycles = EventCount::of_programs(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  const auto before = processor_use(processors_);
  const int64_t cpu_before = cpu_ns_of_ended_children();
  const auto end = runner_.run(program);
  const int64_t cpu_ns = cpu_ns_of_ended_children() - cpu_before;
  const auto after = processor_use(processors_);
  if (!end) return end;
  made.instructions = read_count(instructions);
  made.cycles = read_count(cycles);
  if (cpu_ns > 0) made.cpu_ns = cpu_ns;  // no process takes none at all: it was not measured
  if (before && after) set_other_load(share_of_others(*before, *after, end->wall_ns, processors_.size()), *end, made);
  return end;
}

void RunMaker::set_other_load(double share, const SubprocessEnd& end, Try& made) const {
  made.session.other_load = share;
  if (!is_disturbing(share, end.wall_ns, processors_.size())) return;
  made.disturbed = fmt::format("other processes used {:.0f} % of the processors", 100 * share);
}

Result<RunMaker::Try> RunMaker::run_once(const RunCommand& command, const std::string& name) {
  const auto folder = folder_.for_run(name);
  if (!folder) return std::unexpected(folder.error());
  Try made;
  made.stem = *folder + "/profile";
  if (!options_.profile_pattern.empty()) made.found_before = files_of(options_.profile_pattern, command.folder);
  const MachineState before = probe_.state();
  tell_of_others(before);
  made.session = before.session;
  const auto end = run_measured({.words = with_profile(command.words, made.stem),
                                 .folder = command.folder,
                                 .output_file = options_.show_output ? "" : folder_.output_of(name),
                                 .time_limit_ns = options_.time_limit_ns},
                                made);
  if (!end) return std::unexpected(end.error());
  made.end = *end;
  spent_ns_ += end->wall_ns;
  if (made.end.interrupted) return made;
  made.after = probe_.state();
  made.session.sm_clock_mhz = slowest_sm_clock_mhz(made.after);
  made.slowed = slowdown_between(before, made.after);
  if (made.disturbed.empty()) made.disturbed = processes_changed(before, made.after);
  return made;
}

void RunMaker::tell_of_others(const MachineState& state) {
  if (others_told_ || state.processes.empty()) return;
  others_told_ = true;
  std::string pids;
  for (const int64_t pid : state.processes) pids += fmt::format("{}{}", pids.empty() ? "" : ", ", pid);
  fmt::print(stderr, "sonde: {} on the GPUs before the runs start ({}); times will vary with their work\n",
             state.processes.size() == 1 ? "another process computes" : "other processes compute", pids);
}

std::unexpected<Error> RunMaker::failed(const RunCommand& command, const SubprocessEnd& end, const std::string& name) {
  const std::string line = command_line(command.words);
  if (options_.show_output) return fail("the command failed with {}: {}", end_text(end), line);
  const std::string output = folder_.output_of(name);
  folder_.leave(output);
  return fail("the command failed with {}: {}\nIts output is in {}{}", end_text(end), line, output, last_lines(output));
}

Result<RunMaker::Try> RunMaker::run_well(const RunCommand& command, const std::string& name) {
  for (int left = options_.retries;; --left) {
    auto made = run_once(command, name);
    if (!made || made->end.succeeded()) return made;
    if (runner_.interrupted()) return fail("interrupted");
    if (left <= 0) return failed(command, made->end, name);
    fmt::print(stderr, "{}: {}; the run is repeated\n", name, end_text(made->end));
  }
}

Result<bool> RunMaker::repeats(const Try& made, const std::string& name) {
  const bool is_slowed = !made.slowed.empty();
  const int most = is_slowed ? options_.most_throttled : options_.most_disturbed;
  int& repeated = is_slowed ? throttled_ : disturbed_;
  if (is_slowed && most > 0 && repeated == most) {
    return fail(
        "{}, after {} were repeated for such reasons; cool the GPU, lock its clocks lower (`--lock-clocks base`), or "
        "accept such runs with --most-throttled 0",
        made.slowed, counted(throttled_, "run"));
  }
  const bool again = repeated < most;
  if (again) ++repeated;
  fmt::print(stderr, "{}: {}; the run is {}\n", name, is_slowed ? made.slowed : made.disturbed,
             again ? "repeated" : "accepted");
  return again;
}

Result<RunMaker::Try> RunMaker::run_undisturbed(const RunCommand& command, const std::string& name) {
  for (;;) {
    auto made = run_well(command, name);
    if (!made || (made->slowed.empty() && made->disturbed.empty())) return made;
    const auto again = repeats(*made, name);
    if (!again) return std::unexpected(again.error());
    if (!*again) return made;
  }
}

/// A kernel profiler controls the clocks itself, and says so.
void RunMaker::state_conditions(gate::Conditions& conditions, const MachineState& state) const {
  if (!state.gpus.empty() && !options_.clocks.empty()) conditions.try_emplace("clock_control", options_.clocks);
  if (!options_.processors.empty()) {
    conditions["cpus"] = processors_text(options_.processors);
  } else if (!processors_.empty()) {
    conditions["cpus"] = fmt::format("any of {}", processors_.size());
  }
}

Result<std::string> RunMaker::profile_of(const RunCommand& command, const Try& made) const {
  if (!options_.profile_pattern.empty()) {
    return file_written(made.found_before, files_of(options_.profile_pattern, command.folder),
                        options_.profile_pattern);
  }
  if (has_profile_place(command.words)) return profile_left_at(made.stem);
  return std::string();
}

Result<MadeRun> RunMaker::read(const RunCommand& command, const Try& made, const std::string& name) {
  const auto profile = profile_of(command, made);
  if (!profile) return fail("{}: {}", command_line(command.words), profile.error().message);
  MadeRun run{.record = {}, .file = *profile, .wall_ns = made.end.wall_ns};
  if (profile->empty()) {
    run.record = wall_time_record(command, made.end.wall_ns, made.after);
    run.record.cpu_ns = made.cpu_ns;
    run.record.instructions = made.instructions;
    run.record.cycles = made.cycles;
  } else {
    auto records = load_records(std::array{*profile});
    if (!records) return std::unexpected(records.error());
    run.record = std::move(records->front());
  }
  run.record.session = made.session;
  state_conditions(run.record.conditions, made.after);
  if (folder_.is_kept()) SONDE_TRY(write_record(folder_.path() + "/" + name + ".record.json", run.record));
  return run;
}

Result<MadeRun> RunMaker::make(const RunCommand& command, const std::string& name) {
  const auto made = run_undisturbed(command, name);
  if (!made) return std::unexpected(made.error());
  auto run = read(command, *made, name);
  if (run && !options_.keep_profiles && options_.profile_pattern.empty() && !folder_.is_kept()) {
    folder_.drop(name);
    run->file.clear();
  }
  return run;
}

Result<int64_t> RunMaker::warm_up(const RunCommand& command, const std::string& name) {
  const auto made = run_well(command, name);
  if (!made) return std::unexpected(made.error());
  folder_.drop(name);
  return made->end.wall_ns;
}

}  // namespace sonde
