#include "cli/record/traces.h"

#include <algorithm>
#include <array>

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

}  // namespace sonde::record_cli
