#include "cli/record/traces.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/ranges.h>

#include "base/text/suggest.h"

namespace sonde::record_cli {
namespace {

enum class TraceKind : uint8_t { cuda, nvtx, osrt, none, library, python_gil, later, ranges, never };

struct TraceName {
  std::string_view name;
  TraceKind kind;
};

constexpr std::array kTraces = {
#define SONDE_TRACE(name, kind) TraceName{#name, TraceKind::kind},
#include "cli/record/traces.inc"
#undef SONDE_TRACE
};

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const TraceName& t : kTraces) names.push_back(t.name);
  return names;
}

void add_remark(std::vector<record::Remark>& remarks, const std::vector<std::string_view>& names,
                std::string_view what) {
  if (names.empty()) return;
  remarks.push_back({true, fmt::format("{} {} {}", fmt::join(names, ", "), names.size() == 1 ? "is" : "are", what)});
}

/// nsys has names of its own for calls within calls, which are not told apart here.
void add_library(std::vector<std::string>& libraries, std::string_view name) {
  const auto library = std::string(name.substr(0, name.find('-')));
  if (std::ranges::find(libraries, library) == libraries.end()) libraries.push_back(library);
}

enum class NcclPart : uint8_t { nothing, operations, kernels, both, not_recorded };

struct NcclWord {
  std::string_view name;
  NcclPart part;
};

/// The words of nsys 2025 and 2026 (User Guide, "Advanced NCCL tracing"). Operations come as a whole, with their calls
/// and launches.
constexpr auto kNcclWords = std::to_array<NcclWord>({{"none", NcclPart::nothing},
                                                     {"default", NcclPart::operations},
                                                     {"all", NcclPart::both},
                                                     {"coll", NcclPart::operations},
                                                     {"p2p", NcclPart::operations},
                                                     {"ce-coll", NcclPart::operations},
                                                     {"gpu", NcclPart::kernels},
                                                     {"rt", NcclPart::operations},
                                                     {"group", NcclPart::operations},
                                                     {"kernel-launch", NcclPart::operations},
                                                     {"api", NcclPart::operations},
                                                     {"api-group", NcclPart::operations},
                                                     {"api-coll", NcclPart::operations},
                                                     {"api-p2p", NcclPart::operations},
                                                     {"ce-sync", NcclPart::not_recorded},
                                                     {"ce-batch", NcclPart::not_recorded},
                                                     {"proxy-op", NcclPart::not_recorded},
                                                     {"proxy-step", NcclPart::not_recorded},
                                                     {"proxy-counters", NcclPart::not_recorded}});

Error unknown_word(const std::string& word) {
  std::vector<std::string_view> names;
  for (const NcclWord& known : kNcclWords) names.push_back(known.name);
  return {fmt::format("--nccl-trace: unknown word '{}'{}; use none, default, coll, p2p, gpu or all", word,
                      did_you_mean(word, names))};
}

}  // namespace

Result<Traces> read_traces(const std::vector<std::string>& names) {
  Traces traces;
  std::vector<std::string_view> later;
  std::vector<std::string_view> ranges;
  std::vector<std::string_view> never;
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find(kTraces, name, &TraceName::name);
    if (name == "all") {
      return fail(
          "-t: unknown trace 'all'; use -t cuda,nvtx,osrt,cublas,cudnn,nccl,cusparse,cusolver,python-gil for "
          "everything");
    }
    if (found == kTraces.end()) {
      return fail("-t: unknown trace '{}'{}; use {}", name, did_you_mean(name, all_names()), trace_help());
    }
    switch (found->kind) {
      case TraceKind::cuda: traces.cuda = true; break;
      case TraceKind::nvtx: traces.nvtx = true; break;
      case TraceKind::osrt: traces.os_calls = true; break;
      case TraceKind::none: break;
      case TraceKind::python_gil: traces.python_gil = true; break;
      case TraceKind::library: add_library(traces.libraries, found->name); break;
      case TraceKind::later: later.push_back(found->name); break;
      case TraceKind::ranges: ranges.push_back(found->name); break;
      case TraceKind::never: never.push_back(found->name); break;
    }
  }
  add_remark(traces.remarks, ranges, "recorded only as far as the library emits NVTX ranges");
  add_remark(traces.remarks, later, "not recorded yet");
  add_remark(traces.remarks, never, "not recorded: Sonde does not support it");
  return traces;
}

std::string trace_help() { return "cuda, nvtx, osrt, cublas, cudnn, nccl, cusparse, cusolver, python-gil and none"; }

void add_nccl_options(CommandLine& command, NcclArguments& arguments) {
  command
      .option("--nccl-trace", arguments.events, "LIST",
              "what NCCL 2.23 or later reports: default (operations with size and algorithm, as with -t nccl), gpu "
              "(times of their kernels too), all or none")
      .list();
}

Result<record::NcclOptions> nccl_options(const NcclArguments& arguments, bool traced,
                                         std::vector<record::Remark>& remarks) {
  record::NcclOptions options{.operations = traced && arguments.events.empty(), .kernels = false};
  std::vector<std::string_view> missing;
  for (const std::string& word : arguments.events) {
    const auto* const known = std::ranges::find(kNcclWords, word, &NcclWord::name);
    if (known == kNcclWords.end()) return std::unexpected(unknown_word(word));
    if (known->part == NcclPart::not_recorded) missing.push_back(known->name);
    const bool kernels = known->part == NcclPart::kernels || known->part == NcclPart::both;
    options.kernels = options.kernels || kernels;
    options.operations = options.operations || kernels || known->part == NcclPart::operations;
  }
  if (!missing.empty()) {
    remarks.push_back({true, fmt::format("--nccl-trace {}: not recorded yet", fmt::join(missing, ","))});
  }
  return options;
}

bool can_load_plugin(const std::string& library, std::vector<record::Remark>& remarks) {
  constexpr size_t kMaxPath = 254;  // NCCL copies the name into 255 bytes (src/plugin/plugin_open.cc)
  const char* const own = getenv(record::kNcclPluginVariable);  // NOLINT(concurrency-mt-unsafe): no threads yet
  if (own != nullptr && *own != '\0') {
    remarks.push_back({true, fmt::format("NCCL operations are not recorded: {} is set to {}, and NCCL loads one "
                                         "profiler plugin only; unset it to record them",
                                         record::kNcclPluginVariable, own)});
    return false;
  }
  if (library.size() > kMaxPath) {
    remarks.push_back({true, fmt::format("NCCL operations are not recorded: NCCL reads {} bytes of a plugin's path, "
                                         "and {} is longer; install Sonde in a shorter path",
                                         kMaxPath, library)});
    return false;
  }
  return true;
}

}  // namespace sonde::record_cli
