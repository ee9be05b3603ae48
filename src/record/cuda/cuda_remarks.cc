#include "record/cuda/cuda_remarks.h"

#include <algorithm>
#include <cstdlib>

#include "base/text/byte_size.h"
#include "base/time_units.h"

namespace sonde::record {
namespace {

using wire::CudaInvalid;
using wire::CudaState;

std::string counted(int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// cuptiGetVersion() from CUDA 13.0 on: major, minor and update, two digits each; before that numbers of its own.
std::string version_text(uint32_t version) {
  constexpr uint32_t kFirstLong = 130'000;
  constexpr uint32_t kMajor = 10'000;
  constexpr uint32_t kMinor = 100;
  if (version < kFirstLong) return fmt::format("version {}", version);
  return fmt::format("{}.{}.{}", version / kMajor, version / kMinor % kMinor, version % kMinor);
}

std::string cupti_text(const CudaTally& t) {
  std::string text;
  for (const auto& [path, version] : t.versions) {
    text += fmt::format("{}CUPTI {} ({})", text.empty() ? "" : ", ", version_text(version), path);
  }
  return text;
}

std::string what_was_recorded(const CudaTally& t) {
  std::string text = fmt::format("recorded {}, {}, {}, {} and {} of CUDA with {}",
                                 counted(t.kernels, "kernel", "kernels"), counted(t.copies, "copy", "copies"),
                                 counted(t.sets, "memset", "memsets"), counted(t.graph_launches, "graph", "graphs"),
                                 counted(t.api_calls, "API call", "API calls"), cupti_text(t));
  if (t.migrations > 0) text += fmt::format("; {} of the copies are migrations of unified memory", t.migrations);
  if (t.allocations > 0)
    text += fmt::format("; {}", counted(t.allocations, "allocation or free", "allocations and frees"));
  if (t.page_faults > 0) text += fmt::format("; {}", counted(t.page_faults, "page fault", "page faults"));
  if (t.chains > 0) text += fmt::format("; {}", counted(t.chains, "backtrace", "backtraces"));
  return text;
}

std::string what_it_cost(const CudaTally& t) {
  const std::string of_call = t.call_cost_ns > 0
                                  ? fmt::format("recording a call that does nothing took CUPTI {} ns", t.call_cost_ns)
                                  : "what CUPTI takes to record a call was not measured";
  return fmt::format(
      "CUPTI delivered {} records in {:.1f} MB; a recorder thread spent {:.3f} ms on them, CUPTI's callbacks "
      "{:.3f} ms; {}",
      t.records, static_cast<double>(t.bytes) / kBytesPerMegabyte, static_cast<double>(t.busy_ns) / kMillisecondNs,
      static_cast<double>(t.callback_ns) / kMillisecondNs, of_call);
}

std::string state_text(CudaState state, const std::string& text, const CudaTally& t) {
  switch (state) {
    case CudaState::no_library:
      return fmt::format(
          "CUDA was not recorded: CUPTI could not be opened ({}); install the CUDA toolkit or pip's "
          "nvidia-cuda-cupti package, or set SONDE_CUPTI to the path of libcupti",
          text);
    case CudaState::unknown_version:
      return fmt::format(
          "CUDA was not recorded: this Sonde cannot read the records of CUPTI {} ({}); "
          "set SONDE_CUPTI to a libcupti of CUDA 11.4 to 13.4",
          version_text(t.versions.at(text)), text);
    case CudaState::other_tool:
      return fmt::format(
          "CUDA was not recorded: another profiler in the program uses CUPTI, which serves one at a time; stop the "
          "other one "
          "first (nsys, ncu, torch.profiler): {}",
          text);
    case CudaState::failed: return fmt::format("CUDA was not recorded: CUPTI failed: {}", text);
    case CudaState::no_gpu: return fmt::format("CUDA was not recorded: {}", text);
    case CudaState::lacks: return fmt::format("CUDA was recorded only in part: {}", text);
    case CudaState::recording: break;
  }
  return {};
}

/// A recording with calls that start kernels and no kernel is worthless, whatever CUPTI said.
void add_arrivals(std::vector<Remark>& remarks, const CudaTally& t) {
  const int64_t started = t.launches + t.graph_starts;
  if (started > 0 && t.kernels == 0 && t.graph_launches == 0) {
    remarks.push_back(
        {true, fmt::format("{} kernels or graphs, but CUPTI delivered none of them, so the GPU activity is unknown; "
                           "record again, without other profilers",
                           counted(started, "call started", "calls started"))});
  } else if (t.launched_nothing > 0) {
    remarks.push_back(
        {false,
         fmt::format("{} of {} that launch a kernel have no kernel in the recording: its record never arrived, was "
                     "dropped or invalid, or it had not ended",
                     t.launched_nothing, counted(t.launches, "call", "calls"))});
  }
}

void add_invalid(std::vector<Remark>& remarks, const CudaTally& t) {
  const auto of = [&](CudaInvalid why) { return t.invalid[static_cast<size_t>(why)]; };
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count > 0) remarks.push_back({true, fmt::format("{} {}", count, what)});
  };
  const uint64_t timeless = of(CudaInvalid::zero_times);
  const uint64_t unfinished = timeless < t.unfinished ? timeless : t.unfinished;
  add(timeless - unfinished,
      "CUPTI records without times (start and end are 0) were skipped; known for CUPTI of CUDA 12.6 to 13.0 "
      "and for long runs with CUDA graphs");
  if (unfinished > 0) {
    remarks.push_back(
        {false, fmt::format("{} had not ended when the recording ended and have no times; they were skipped",
                            counted(static_cast<int64_t>(unfinished), "GPU operation", "GPU operations"))});
  }
  add(of(CudaInvalid::backwards), "CUPTI records that end before they start were skipped");
  add(of(CudaInvalid::unknown_kind), "CUPTI records of an unknown kind were skipped");
  add(of(CudaInvalid::cut), "CUPTI records that could not be read were skipped with the rest of their buffers");
  add(static_cast<uint64_t>(t.early),
      "GPU operations have times before the recording although their calls are in it (CUPTI does this after idle "
      "time); "
      "they were moved to its start");
  add(static_cast<uint64_t>(t.broken_times), "CUDA records with damaged times were skipped");
  add(t.dropped, "records were dropped by CUPTI, which reports that it had no buffer for them");
  add(t.flush_failures, "times CUPTI failed to flush its records; they may have been delivered later");
  add(t.nameless,
      "CUPTI records have no name because the recording had no room for it; the kernels among them appear without a "
      "name");
}

void add_holding(std::vector<Remark>& remarks, uint32_t holding, const Wanted& wanted) {
  if (holding == 0) return;
  remarks.push_back({true, fmt::format("{} ended by a signal, called exec or continued; CUPTI may not have "
                                       "delivered the CUDA activity of the last {} "
                                       "ms",
                                       counted(holding, "process that uses CUDA", "processes that use CUDA"),
                                       wanted.cuda_options.flush_ms)});
}

void add_clock(std::vector<Remark>& remarks, const CudaTally& t) {
  constexpr int64_t kNoticeableNs = 1000;
  if (t.clock_error_ns < kNoticeableNs && std::abs(t.clock_drift_ns) < kNoticeableNs) return;
  remarks.push_back(
      {false, fmt::format("this CUPTI has its own clock: CUDA times are aligned with other times to within {} ns; "
                          "its drift of {} ns until the end of the recording was corrected",
                          t.clock_error_ns, t.clock_drift_ns)});
}

void add_graphs(std::vector<Remark>& remarks, const CudaTally& t, const Wanted& wanted) {
  if (t.graph_launches == 0 || (wanted.cuda_options.extras & wire::kCudaGraphNodes) != 0) return;
  remarks.push_back(
      {false, fmt::format("{} recorded as a whole, without the kernels in {}; --cuda-graph-trace=node "
                          "records them with more overhead",
                          counted(t.graph_launches, "launch of a CUDA graph is", "launches of CUDA graphs are"),
                          t.graph_launches == 1 ? "it" : "them")});
}

}  // namespace

std::vector<std::string> cuda_problems(const CudaTally& tally) {
  std::vector<std::string> problems;
  const bool no_gpu =
      std::ranges::any_of(tally.states, [](const auto& state) { return state.first.first == CudaState::no_gpu; });
  for (const auto& [said, processes] : tally.states) {
    if (no_gpu && said.first == CudaState::failed && said.second.starts_with("cuptiSubscribe(")) continue;
    std::string text = state_text(said.first, said.second, tally);
    if (text.empty()) continue;
    if (processes > 1) text += fmt::format(" (in {} processes)", processes);
    problems.push_back(std::move(text));
  }
  return problems;
}

void add_cuda_remarks(std::vector<Remark>& remarks, const CudaTally& tally, const Wanted& wanted, uint32_t holding) {
  if (tally.states.empty() && tally.processes == 0 && tally.events() == 0) {
    remarks.push_back({false, "no process used CUDA, so there is no GPU activity to record"});
    return;
  }
  if (tally.processes > 0) {
    remarks.push_back({false, what_was_recorded(tally)});
    remarks.push_back({false, what_it_cost(tally)});
  }
  for (std::string& problem : cuda_problems(tally)) remarks.push_back({true, std::move(problem)});
  add_arrivals(remarks, tally);
  add_invalid(remarks, tally);
  add_holding(remarks, holding, wanted);
  add_clock(remarks, tally);
  add_graphs(remarks, tally, wanted);
  if (tally.other_counters > 0) {
    remarks.push_back(
        {false, fmt::format("{} of unified memory (thrashing, throttling, remote mappings) are not in the "
                            "profile",
                            counted(tally.other_counters, "event", "events"))});
  }
}

}  // namespace sonde::record
