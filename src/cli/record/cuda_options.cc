#include "cli/record/cuda_options.h"

#include <array>
#include <charconv>
#include <string_view>

#include "cli/record/number_check.h"

namespace sonde::record_cli {
namespace {

/// nsys takes back traces of calls of a microsecond and more where it is not told otherwise.
constexpr int64_t kBackTraceNs = 1000;
constexpr int64_t kNoBackTraces = -1;
/// A day: nobody waits that long for what a crash may cost.
constexpr int64_t kMostFlushMs = 86'400'000;

/// A word, and what stands behind its colon.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
  const size_t colon = text.find(':');
  return {text.substr(0, colon), colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1)};
}

Result<int64_t> threshold(std::string_view text) {
  if (text.empty()) return kBackTraceNs;
  int64_t ns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ns);
  if (error == std::errc() && end == text.data() + text.size() && ns >= 0) return ns;
  return fail("--cudabacktrace: '{}' is not a number of nanoseconds", text);
}

Status add_back_traces(wire::CudaWanted& wanted, const std::string& choice) {
  struct Named {
    std::string_view name;
    wire::CudaCalls calls;  ///< count_: all of them
  };
  constexpr auto kAll = wire::CudaCalls::count_;
  constexpr auto kNamed = std::to_array<Named>({{"all", kAll},
                                                {"api", kAll},
                                                {"true", kAll},
                                                {"kernel", wire::CudaCalls::launches},
                                                {"memory", wire::CudaCalls::memory},
                                                {"sync", wire::CudaCalls::synchronizations},
                                                {"other", wire::CudaCalls::others}});
  const auto [name, behind] = split(choice);
  if (name == "none" || name == "false") return {};
  const auto ns = threshold(behind);
  if (!ns) return std::unexpected(ns.error());
  for (const Named& named : kNamed) {
    if (named.name != name) continue;
    for (uint32_t i = 0; i < static_cast<uint32_t>(kAll); ++i) {
      if (named.calls == kAll || static_cast<uint32_t>(named.calls) == i) wanted.backtrace_ns[i] = *ns;
    }
    return {};
  }
  return fail(
      "--cudabacktrace: '{}' is not one of all, api, kernel, memory, sync, other and none, optionally followed by :NS "
      "for the minimum duration",
      choice);
}

Status add_graphs(wire::CudaWanted& wanted, const std::string& choice, std::vector<record::Remark>& remarks) {
  const auto [level, origin] = split(choice);
  const bool known_origin = origin.empty() || origin == "host-only" || origin == "host-and-device";
  if ((level != "graph" && level != "node") || !known_origin) {
    return fail(
        "--cuda-graph-trace: '{}' is neither graph nor node, optionally followed by :host-only or :host-and-device",
        choice);
  }
  if (level == "node") wanted.extras |= wire::kCudaGraphNodes;
  if (origin == "host-and-device") {
    remarks.push_back({true, "CUDA graphs launched by the GPU itself are not recorded; only :host-only is supported"});
  }
  return {};
}

}  // namespace

void add_cuda_options(CommandLine& command, CudaArguments& a) {
  command.flag("--cuda-memory-usage", a.memory, "also record allocations and frees of CUDA memory");
  command
      .option("--cuda-graph-trace", a.graphs, "LEVEL",
              "record CUDA graphs by graph (each launch as a whole) or by node (each kernel and copy in it, at a "
              "higher cost)")
      .shows_default();
  command
      .option("--cudabacktrace", a.back_traces, "LIST",
              "backtraces of CUDA calls: all, kernel, memory, sync, other or none, optionally with :NS for the minimum "
              "duration (1000)")
      .list()
      .shows_default();
  command.flag("--cuda-um-cpu-page-faults", a.cpu_page_faults, "also record CPU page faults of unified memory");
  command.flag("--cuda-um-gpu-page-faults", a.gpu_page_faults, "also record GPU page faults of unified memory");
  command.flag("--cuda-trace-all-apis", a.all_apis,
               "also record CUDA calls that are cheaper than recording them: cudaGetDevice, "
               "cudaGetLastError, queries of attributes and of capture");
  command.flag("--cuda-finalize", a.finalize,
               "when the recording ends, unload CUPTI from a program that continues (cuptiFinalize); never with CUDA "
               "graphs");
  command
      .option("--cuda-event-trace", a.event_times, "true|false|auto",
              "record when the GPU reaches CUDA events, at a cost: true, false or auto")
      .one_of({"true", "false", "auto"})
      .shows_default();
  command
      .option("--cuda-flush-interval", a.flush_ms, "MS",
              "milliseconds between flushes of CUPTI's records; a crash loses the records since the last flush")
      .within(0, kMostFlushMs, "milliseconds")
      .shows_default();
}

Result<wire::CudaWanted> cuda_options(const CudaArguments& arguments, std::vector<record::Remark>& remarks) {
  wire::CudaWanted wanted{.extras = 0,
                          .flush_ms = arguments.flush_ms,
                          .backtrace_ns = {kNoBackTraces, kNoBackTraces, kNoBackTraces, kNoBackTraces}};
  if (arguments.memory) wanted.extras |= wire::kCudaMemory;
  if (arguments.cpu_page_faults) wanted.extras |= wire::kCudaCpuPageFaults;
  if (arguments.event_times == "true") wanted.extras |= wire::kCudaEventTimes;
  if (arguments.all_apis) wanted.extras |= wire::kCudaAllApis;
  if (arguments.finalize) wanted.extras |= wire::kCudaFinalize;
  if (arguments.gpu_page_faults) wanted.extras |= wire::kCudaGpuPageFaults;
  SONDE_TRY(add_graphs(wanted, arguments.graphs, remarks));
  for (const std::string& choice : arguments.back_traces) SONDE_TRY(add_back_traces(wanted, choice));
  return wanted;
}

}  // namespace sonde::record_cli
