#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "analyses/recorded_kernels.h"
#include "base/progress.h"
#include "base/subprocess.h"
#include "cli/command.h"
#include "cli/other_words.h"
#include "cli/output.h"
#include "cli/record/cpu_sampling.h"
#include "cli/record/cuda_options.h"
#include "cli/record/gpu_metrics_options.h"
#include "cli/record/library.h"
#include "cli/record/metrics.h"
#include "cli/record/output_name.h"
#include "cli/record/self_test.h"
#include "cli/record/traces.h"
#include "record/record.h"

namespace sonde {
namespace {

struct RecordArguments {
  std::vector<std::string> words;
  std::vector<std::string> traces = {"cuda", "nvtx", "osrt"};
  std::string output = "report%n";
  bool overwrite = false;
  bool show_output = true;
  bool stats = false;
  bool self_test = true;
  bool torch_modules = false;
  double delay_s = 0;
  double duration_s = 0;
  std::string kill = "sigterm";
  bool stop_on_exit = true;
  int64_t os_threshold_ns = 1000;
  std::string capture_range = "none";
  std::shared_ptr<record_cli::CpuArguments> cpu;
  record_cli::CudaArguments cuda;
  std::shared_ptr<record_cli::MetricOptions> metrics;
  record_cli::GpuMetricsArguments gpu_metrics;
};

/// Times beyond 31 years are that: they still fit.
int64_t to_ns(double seconds) { return static_cast<int64_t>(std::min(seconds, 1e9) * 1e9); }

/// As nsys takes it: a name or a number.
Result<int> kill_signal(const std::string& text) {
  struct Named {
    std::string_view name;
    int number;
  };
  constexpr auto kSignals = std::to_array<Named>(
      {{"none", 0}, {"sigkill", SIGKILL}, {"sigterm", SIGTERM}, {"sigint", SIGINT}, {"sighup", SIGHUP}});
  for (const Named& s : kSignals) {
    if (text == s.name || text == fmt::format("{}", s.number)) return s.number;
  }
  return fail("--kill: '{}' is none of none, sigkill, sigterm, sigint, sighup or their numbers", text);
}

/// Ranges tell where a launch was.
void measure_kernels(record::RecordOptions& options, record::MeasureRequest request) {
  if (options.wanted.cuda) {
    options.remarks.push_back({false,
                               "no timeline of the GPU is recorded beside --metrics, since kernels run several times "
                               "and one by one; sonde record without it does, and sonde study does both"});
  }
  options.wanted.cuda = false;
  options.wanted.metrics = true;
  options.wanted.nvtx = true;
  options.measure = std::move(request);
  options.complete_kernels = &complete_recorded_kernels;
}

Result<record::RecordOptions> options_of(const RecordArguments& arguments) {
  if (arguments.words.empty()) return fail("there is no program to run; it stands after --, as in -- python train.py");
  if (!arguments.stop_on_exit && arguments.duration_s <= 0) {
    return fail("-x false needs --duration: what else ends the recording?");
  }
  if (arguments.capture_range != "none") {
    return fail("--capture-range {}: sonde record has only none yet; --delay and --duration choose a part by time",
                arguments.capture_range);
  }
  record::RecordOptions options;
  const auto traces = record_cli::read_traces(arguments.traces);
  if (!traces) return std::unexpected(traces.error());
  options.wanted = {.nvtx = traces->nvtx,
                    .os_calls = traces->os_calls,
                    .os_threshold_ns = arguments.os_threshold_ns,
                    .cuda = traces->cuda,
                    .libraries = traces->libraries};
  options.remarks = traces->remarks;
  const auto cuda_options = record_cli::cuda_options(arguments.cuda, options.remarks);
  if (!cuda_options) return std::unexpected(cuda_options.error());
  options.wanted.cuda_options = *cuda_options;
  const auto gpu_metrics = record_cli::gpu_metrics_options(arguments.gpu_metrics, options.remarks);
  if (!gpu_metrics) return std::unexpected(gpu_metrics.error());
  options.wanted.gpu_metrics = *gpu_metrics;
  const auto cpu = record_cli::cpu_options_of(*arguments.cpu);
  if (!cpu) return std::unexpected(cpu.error());
  options.cpu = *cpu;
  auto measure = record_cli::measure_request(*arguments.metrics, options.remarks);
  if (!measure) return std::unexpected(measure.error());
  if (*measure && options.wanted.gpu_metrics.any()) {
    return fail("--metrics and --gpu-metrics-devices take the same counters of the GPU: record the program twice");
  }
  if (*measure) measure_kernels(options, std::move(**measure));
  const auto library = record_cli::find_library();
  if (!library) return std::unexpected(library.error());
  options.library = *library;
  if (!traces->libraries.empty()) {
    auto auditor = record_cli::find_auditor(*library);
    if (!auditor) return std::unexpected(auditor.error());
    options.auditor = *std::move(auditor);
  }
  if (arguments.torch_modules) {
    auto folder = record_cli::find_torch_folder(*library);
    if (!folder) return std::unexpected(folder.error());
    options.torch_folder = *std::move(folder);
    options.wanted.nvtx = true;  // they are ranges of NVTX
  }
  const auto signal = kill_signal(arguments.kill);
  if (!signal) return std::unexpected(signal.error());
  options.kill_signal = *signal;
  const auto output = record_cli::output_name(arguments.output);
  if (!output) return std::unexpected(output.error());
  options.output = *output;
  options.overwrite = arguments.overwrite;
  options.program.words = arguments.words;
  options.program.show_output = arguments.show_output;
  options.delay_ns = to_ns(arguments.delay_s);
  if (arguments.duration_s > 0) options.duration_ns = to_ns(arguments.duration_s);
  options.stop_on_exit = arguments.stop_on_exit;
  return options;
}

/// On standard error: standard output is the program's.
void say(std::span<const record::Remark> remarks) {
  for (const record::Remark& remark : remarks) {
    complain(fmt::format("{}{}", remark.warning ? "warning: " : "", remark.text));
  }
}

void tell(const record::Recording& recording, const std::string& output) {
  if (recording.written) {
    complain(fmt::format("the profile is {}", output));
    return;
  }
  complain(fmt::format("there is no profile: {}; what was recorded is in {}", recording.written.error().message,
                       recording.kept));
}

bool print_stats(const std::string& profile) {
  const auto end = system_subprocess_runner()->run({.words = {"/proc/self/exe", "stats", profile}});
  return end && end->succeeded();
}

int run(const RecordArguments& arguments) {
  auto options = options_of(arguments);
  if (!options) {
    complain(fmt::format("{}\nTry 'sonde record --help'.", options.error().message));
    return kUsage;
  }
  const auto progress = terminal_progress();
  options->progress = progress.get();
  const Status tried = arguments.self_test ? record_cli::try_cuda(*options) : Status{};
  if (!tried) return report_error(tried.error());
  say(options->remarks);
  const auto recording = record::record(*options);
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(bugprone-signal-handler): what is said below must not cost the exit code
  if (!recording) return report_error(recording.error());
  say(std::span(recording->remarks).subspan(options->remarks.size()));
  tell(*recording, options->output);
  const bool stats_failed = arguments.stats && recording->written && !print_stats(options->output);
  if (recording->exit_code != 0) return recording->exit_code;
  return recording->written && !stats_failed ? kDone : kCannot;
}

void add_control_options(CLI::App& command, RecordArguments& a) {
  command.add_option("-y,--delay", a.delay_s, "seconds from the program's start to that of the recording")
      ->check(CLI::NonNegativeNumber);
  command.add_option("-d,--duration", a.duration_s, "seconds to record; without it until the program ends")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--kill", a.kill, "signal to the program when the duration is over; none lets it go on")
      ->capture_default_str();
  command.add_flag("-x,--stop-on-exit", a.stop_on_exit,
                   "false: also record what the program leaves behind, until the duration is over");
  command.add_option("-c,--capture-range", a.capture_range, "only none yet")->capture_default_str();
}

void set_up(CLI::App& command, int& exit_code) {
  const auto a = std::make_shared<RecordArguments>();
  add_control_options(command, *a);
  command.add_option("-t,--trace", a->traces, "what to record, with commas between: " + record_cli::trace_help())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command
      .add_option("-o,--output,--export", a->output,
                  "the profile; .sqlite is added; %n a number, %h the host, %q{VARIABLE}")
      ->capture_default_str();
  command.add_flag("-f,--force-overwrite", a->overwrite, "replace the output where it is there already");
  command.add_flag("-w,--show-output", a->show_output, "false: what the program prints goes nowhere");
  command.add_flag("--self-test", a->self_test, "false: do not try first whether a kernel of Sonde's is seen");
  command.add_flag("--torch-modules", a->torch_modules,
                   "a range for each call of a PyTorch module and each training step, without a change of the program");
  command.add_flag("--stats", a->stats, "print the tables of sonde stats afterwards");
  command
      .add_option("--osrt-threshold", a->os_threshold_ns, "leave out OS calls that took less than so many nanoseconds")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  a->cpu = record_cli::add_cpu_options(command);
  record_cli::add_cuda_options(command, a->cuda);
  a->metrics = record_cli::add_metric_options(command);
  record_cli::add_gpu_metrics_options(command, a->gpu_metrics);
  command.add_option("COMMAND", a->words, "the program and its arguments; -- may stand before them")
      ->transform(unguarded_word);
  command.callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace

extern const Command record_command;
const Command record_command = {
    "record", "Run a program and record its CUDA, NVTX ranges, OS calls that block it, and CPU samples",
    "sonde record -t cuda,nvtx,osrt -o run.sqlite -- python train.py", &set_up};

}  // namespace sonde
