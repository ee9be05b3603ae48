#include <algorithm>
#include <csignal>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "analyses/kernels/recorded_kernels.h"
#include "base/progress.h"
#include "base/system/subprocess.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/record/control_options.h"
#include "cli/record/cpu_sampling.h"
#include "cli/record/cuda_options.h"
#include "cli/record/gpu_metrics_options.h"
#include "cli/record/launched_program.h"
#include "cli/record/library.h"
#include "cli/record/metrics.h"
#include "cli/record/number_check.h"
#include "cli/record/other_options.h"
#include "cli/record/output_check.h"
#include "cli/record/output_name.h"
#include "cli/record/program_environment.h"
#include "cli/record/python_sampling.h"
#include "cli/record/self_test.h"
#include "cli/record/traces.h"
#include "cli/words/other_words.h"
#include "record/attach.h"
#include "record/record.h"
#include "record/recover.h"
#include "record/rounds/lines.h"
#include "record/torch_memory.h"

namespace sonde {
namespace record_command_cli {
namespace {

struct RecordArguments {
  bool launch = false;  ///< the program runs under the recorder, and nothing is recorded yet
  bool dry_run = false;
  std::vector<std::string> words;
  std::vector<std::string> traces = {"cuda", "nvtx", "osrt"};
  record_cli::ControlArguments control;
  bool show_output = true;
  bool stats = false;
  bool self_test = true;
  bool torch_modules = false;
  bool torch_memory = false;
  int64_t os_threshold_ns = 1000;
  std::vector<std::string> environment;
  int pid = 0;  ///< of a process to attach to; 0: a program is run
  std::string session;
  std::string recover;
  std::shared_ptr<record_cli::CpuArguments> cpu;
  record_cli::PythonArguments python;
  record_cli::CudaArguments cuda;
  record_cli::NcclArguments nccl;
  std::shared_ptr<record_cli::MetricOptions> metrics;
  record_cli::GpuMetricsArguments gpu_metrics;
  std::shared_ptr<record_cli::OtherOptions> others;
};

/// Ranges tell where a launch was.
void measure_kernels(record::RecordOptions& options, record::MeasureRequest request) {
  if (options.wanted.cuda) {
    options.remarks.push_back({false,
                               "with --metrics no GPU timeline is recorded, since kernels are serialized and replayed; "
                               "record the timeline without --metrics, or use sonde study for both"});
  }
  options.wanted.cuda = false;
  options.wanted.metrics = true;
  options.wanted.nvtx = true;
  options.measure = std::move(request);
  options.complete_kernels = &complete_recorded_kernels;
}

Status add_measure(record::RecordOptions& options, const RecordArguments& arguments) {
  auto measure = record_cli::measure_request(*arguments.metrics, options.remarks);
  if (!measure) return std::unexpected(measure.error());
  if (!*measure) return {};
  if (options.wanted.gpu_metrics.any()) {
    return fail("--metrics and --gpu-metrics-devices use the same counters of the GPU; record the program twice");
  }
  if (record_cli::is_whole_number(arguments.control.kill.value_or(""))) {
    return fail(
        "--kill {}: in ncu this ends the program after --launch-count, which sonde record does not support; name "
        "signals by name (sighup)",
        *arguments.control.kill);
  }
  measure_kernels(options, std::move(**measure));
  return {};
}

Status add_what_is_recorded(record::RecordOptions& options, const RecordArguments& arguments) {
  const auto traces = record_cli::read_traces(arguments.traces);
  if (!traces) return std::unexpected(traces.error());
  options.wanted = {.nvtx = traces->nvtx,
                    .os_calls = traces->os_calls,
                    .os_threshold_ns = arguments.os_threshold_ns,
                    .cuda = traces->cuda,
                    .libraries = traces->libraries};
  options.remarks = traces->remarks;
  SONDE_TRY(record_cli::answer_others(*arguments.others, options.remarks));
  const auto cuda_options = record_cli::cuda_options(arguments.cuda, options.remarks);
  if (!cuda_options) return std::unexpected(cuda_options.error());
  options.wanted.cuda_options = *cuda_options;
  const auto gpu_metrics = record_cli::gpu_metrics_options(arguments.gpu_metrics, options.remarks);
  if (!gpu_metrics) return std::unexpected(gpu_metrics.error());
  options.wanted.gpu_metrics = *gpu_metrics;
  const bool traced = std::ranges::find(traces->libraries, "nccl") != traces->libraries.end();
  const auto nccl = record_cli::nccl_options(arguments.nccl, traced, options.remarks);
  if (!nccl) return std::unexpected(nccl.error());
  options.wanted.nccl = *nccl;
  const auto cpu = record_cli::cpu_options_of(*arguments.cpu);
  if (!cpu) return std::unexpected(cpu.error());
  options.cpu = *cpu;
  options.python = record_cli::python_options_of(arguments.python, traces->python_gil);
  return add_measure(options, arguments);
}

/// What of Sonde's the program loads.
Status add_libraries(record::RecordOptions& options, const RecordArguments& arguments) {
  const auto library = record_cli::find_library();
  if (!library) return std::unexpected(library.error());
  options.library = *library;
  if (options.wanted.nccl.operations && !record_cli::can_load_plugin(*library, options.remarks)) {
    options.wanted.nccl = {};
  }
  if (!options.wanted.libraries.empty()) {
    auto auditor = record_cli::find_auditor(*library);
    if (!auditor) return std::unexpected(auditor.error());
    options.auditor = *std::move(auditor);
  }
  if (arguments.torch_memory && arguments.cuda.memory) {
    return fail("--torch-memory and --cuda-memory-usage would count the same memory twice; pass one of them");
  }
  if (arguments.torch_modules || arguments.torch_memory) {
    auto folder = record_cli::find_torch_folder(*library);
    if (!folder) return std::unexpected(folder.error());
    options.torch_folder = *std::move(folder);
    options.wanted.nvtx = true;  // they are ranges of NVTX
  }
  return {};
}

/// What must be there before a program begins cannot be had of one that runs.
Status check_attached(const record::RecordOptions& options, const RecordArguments& arguments) {
  const auto refuse = [](std::string_view option) {
    return fail("{} does not work with --pid: it must be there before the program begins", option);
  };
  if (!arguments.words.empty()) return fail("--pid records a running process; leave the program out");
  if (!arguments.environment.empty()) return refuse("--env-var");
  if (arguments.torch_modules) return refuse("--torch-modules");
  if (arguments.torch_memory) return refuse("--torch-memory");
  if (options.wanted.nccl.operations) return refuse("--nccl-trace");
  if (options.measure) return refuse("--metrics");
  if (!options.wanted.libraries.empty()) return refuse(fmt::format("-t {}", options.wanted.libraries.front()));
  if (options.cpu.any())
    return fail("-s process-tree does not work with --pid yet; perf record -p samples the process");
  return {};
}

Status add_program(record::RecordOptions& options, const RecordArguments& arguments) {
  for (const std::string& text : arguments.environment) {
    const auto variables = record_cli::read_environment(text);
    if (!variables) return std::unexpected(variables.error());
    record_cli::set_environment(*variables);
  }
  options.program.words = arguments.words;
  if (arguments.pid != 0) options.program.words = {record::process_name(arguments.pid)};
  options.program.show_output = arguments.show_output;
  options.session = arguments.session;
  options.launch = arguments.launch;
  return {};
}

Status add_round(record::RecordOptions& options, const RecordArguments& arguments) {
  record_cli::ControlArguments control = arguments.control;
  if (arguments.pid != 0) control.kill_of_duration = "none";  // it was there before
  const auto round = record_cli::round_of(control);
  if (!round) return std::unexpected(round.error());
  static_cast<record::RoundOptions&>(options) = *round;
  const auto remarks = record_cli::control_remarks(arguments.control, options.output);
  options.remarks.insert(options.remarks.end(), remarks.begin(), remarks.end());
  if (round->capture.trigger == wire::Trigger::nvtx && !options.wanted.nvtx) {
    return fail("--capture-range nvtx needs -t nvtx");
  }
  const bool sees_cuda = options.wanted.cuda || options.wanted.metrics;
  if (round->capture.trigger == wire::Trigger::cuda_profiler_api && !sees_cuda) {
    return fail("--capture-range cudaProfilerApi needs -t cuda or --metrics");
  }
  return {};
}

Result<record::RecordOptions> options_of(const RecordArguments& arguments) {
  if (arguments.words.empty() && arguments.pid == 0) {
    return fail("no program given. Example: sonde record -- python train.py");
  }
  record::RecordOptions options;
  SONDE_TRY(add_what_is_recorded(options, arguments));
  if (arguments.pid != 0) {
    SONDE_TRY(check_attached(options, arguments));
    options.attach_to = arguments.pid;
    options.wanted.os_calls = false;  // the library would have to be loaded first
  }
  SONDE_TRY(add_libraries(options, arguments));
  SONDE_TRY(add_program(options, arguments));
  if (!arguments.launch) SONDE_TRY(add_round(options, arguments));
  return options;
}

/// On standard error: standard output is the program's. Said once the program has started, which would go on to ignore
/// the signal too: what cannot be said must not cost the exit code.
void say(const record::Profile& profile, size_t said) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(bugprone-signal-handler)
  for (const std::string& line : record::lines_of(profile, said)) complain(line);
}

bool print_stats(const std::string& profile) {
  const auto end = system_subprocess_runner()->run({.words = {"/proc/self/exe", "stats", profile}});
  return end && end->succeeded();
}

/// Puts the memory snapshots of the program's processes into a profile. Without them the profile is as good as before.
void add_torch_memory(const record::TorchMemory& memory, const std::string& profile) {
  const auto pids = memory.add_to(profile);
  if (!pids) return complain(fmt::format("PyTorch's memory is not in the profile: {}", pids.error().message));
  if (pids->empty()) {
    complain(
        "no memory snapshot of PyTorch arrived: it needs PyTorch 2.0 or later on a GPU, and a process that ends by "
        "itself before the recording does");
  }
}

/// The folder for --torch-memory, made known to the program.
Result<std::optional<record::TorchMemory>> torch_memory_of(const RecordArguments& arguments,
                                                           const record::RecordOptions& options) {
  if (!arguments.torch_memory) return std::nullopt;
  auto memory = record::TorchMemory::make(options.output);
  if (!memory) return std::unexpected(memory.error());
  record_cli::set_environment({{"SONDE_TORCH_MEMORY", memory->prefix()}});
  return *std::move(memory);
}

/// Success over nothing is no success; a program that was only launched was not asked to be recorded.
bool is_recorded(const record::Recording& recording, bool only_launched) {
  if (recording.failed > 0) return false;
  if (recording.profiles > 0 || recording.cancelled || only_launched) return true;
  complain(recording.why_none);
  return false;
}

int run_program(const RecordArguments& arguments) {
  auto options = options_of(arguments);
  if (!options) {
    complain(
        fmt::format("{}\nTry 'sonde {} --help'.", options.error().message, arguments.launch ? "launch" : "record"));
    return kUsage;
  }
  const Status writable = arguments.launch ? Status{} : record_cli::check_output(*options);
  if (!writable) return report_error(writable.error());
  const Status found = arguments.pid != 0 ? Status{} : record::find_program(arguments.words.front());
  if (!found) return report_error(found.error());
  if (arguments.dry_run) return kDone;
  const auto torch_memory = torch_memory_of(arguments, *options);
  if (!torch_memory) return report_error(torch_memory.error());
  const auto progress = terminal_progress();
  options->progress = progress.get();
  const Status tried = arguments.self_test && arguments.pid == 0 ? record_cli::try_cuda(*options) : Status{};
  if (!tried) return report_error(tried.error());
  for (const record::Remark& remark : options->remarks) complain(record::line_of(remark));
  for (const std::string& line : record::lines_of_left_spools(options->output)) complain(line);
  std::vector<std::string> profiles;
  options->made = [&](const record::Profile& profile) {
    say(profile, options->remarks.size());
    if (profile.written) profiles.push_back(profile.output);
    if (profile.written && *torch_memory) add_torch_memory(**torch_memory, profile.output);
  };
  const auto recording = record::record(*options);
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(bugprone-signal-handler): as in say()
  if (!recording) return report_error(recording.error());
  for (const record::Remark& remark : recording->remarks) complain(record::line_of(remark));
  const bool recorded = is_recorded(*recording, options->launch);
  const bool stats_failed = arguments.stats && !std::ranges::all_of(profiles, print_stats);
  if (recording->exit_code != 0) return recording->exit_code;
  return recorded && !stats_failed ? kDone : kCannot;
}

int recover(const RecordArguments& arguments) {
  const auto output = record_cli::recovered_name(
      arguments.recover, arguments.control.output ? arguments.control.output : arguments.control.exported);
  if (!output) return report_error(output.error());
  for (const record::Remark& remark : record_cli::control_remarks(arguments.control, *output)) {
    complain(record::line_of(remark));
  }
  record::RoundOptions round;
  round.output = *output;
  round.overwrite = arguments.control.overwrite;
  const auto profile = record::recover(arguments.recover, round);
  if (!profile) return report_error(profile.error());
  say(*profile, 0);
  if (profile->written) {
    complain(profile->kept.empty()
                 ? fmt::format("removed {}: the profile contains all of its data", arguments.recover)
                 : fmt::format("kept {}, which may be deleted: the profile contains all of its readable data",
                               arguments.recover));
  }
  const bool stats_failed = arguments.stats && profile->written && !print_stats(profile->output);
  return profile->written && !stats_failed ? kDone : kCannot;
}

int run(const RecordArguments& arguments) {
  return arguments.recover.empty() ? run_program(arguments) : recover(arguments);
}

void add_program_options(CommandLine& command, RecordArguments& a) {
  command.option("-t,--trace", a.traces, "LIST", "what to record, separated by commas: " + record_cli::trace_help())
      .list()
      .shows_default();
  command.flag("-w,--show-output", a.show_output, "show the program's output; false discards it");
  command.option("--osrt-threshold", a.os_threshold_ns, "NS", "leave out OS calls shorter than NS nanoseconds")
      .within(0, record_cli::kMaxSeconds * 1'000'000'000, "nanoseconds")
      .shows_default();
  command
      .option("--pid", a.pid, "PID",
              "record a running process; it must have been started with CUDA_INJECTION64_PATH=libsonde_inject.so")
      .within(1, std::numeric_limits<int>::max(), "a process ID");
  command.flag("--dry-run", a.dry_run, "check the options without running the program");
  command.flag("--self-test", a.self_test,
               "first check with a test kernel that kernels are recorded; false skips the check");
  command.flag("--torch-modules", a.torch_modules,
               "record a range per call of a PyTorch module and per training step, without changing the program");
  a.cpu = record_cli::add_cpu_options(command);
  record_cli::add_python_options(command, a.python);
  record_cli::add_cuda_options(command, a.cuda);
  record_cli::add_nccl_options(command, a.nccl);
  command
      .option("-e,--env-var", a.environment, "LIST",
              "environment variables of the program, as NAME=VALUE, separated by commas")
      .repeatable();
  command.option("--session-new", a.session, "NAME", "name of the session, for other commands");
  a.metrics = record_cli::add_metric_options(command);
  record_cli::add_gpu_metrics_options(command, a.gpu_metrics);
  a.others = record_cli::add_other_options(command);
  command.positional("COMMAND", a.words, "program and its arguments, optionally after --").converted(unguarded_word);
}

void set_up(CommandLine& command) {
  const auto a = std::make_shared<RecordArguments>();
  record_cli::add_control_options(command, a->control);
  command.flag("--stats", a->stats, "print the tables of sonde stats after recording");
  command.flag(
      "--torch-memory", a->torch_memory,
      "record PyTorch's allocations with their Python stacks, written when a process ends or runs out of memory; "
      "implies --torch-modules");
  command.option("--recover", a->recover, "FILE",
                 "write the profile from the file that a killed recorder left, without running a program");
  add_program_options(command, *a);
  command.runs([a] { return run(*a); });
}

void set_up_launch(CommandLine& command) {
  const auto a = std::make_shared<RecordArguments>();
  a->launch = true;
  add_program_options(command, *a);
  command.runs([a] { return run(*a); });
}

}  // namespace
}  // namespace record_command_cli

void set_up_launched_program(CommandLine& command) { record_command_cli::set_up_launch(command); }

extern const Command record_command;
const Command record_command{"record",
                             "Run a program and record its CUDA work, NVTX ranges, blocking OS calls and CPU samples",
                             "sonde record -t cuda,nvtx,osrt -o run.sqlite -- python train.py",
                             record_command_cli::set_up,
                             CommandGroup::record,
                             {},
                             true};

}  // namespace sonde
