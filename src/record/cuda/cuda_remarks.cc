#include "record/cuda/cuda_remarks.h"
#include "base/time_units.h"

#include <cstdlib>

namespace sonde::record {
namespace {

using wire::CudaInvalid;
using wire::CudaState;

constexpr double kBytesPerMegabyte = 1e6;

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
  std::string text = fmt::format("recorded of CUDA {}, {}, {}, {} and {} by {}",
                                 counted(t.kernels, "kernel", "kernels"), counted(t.copies, "copy", "copies"),
                                 counted(t.sets, "set", "sets"), counted(t.graph_launches, "graph", "graphs"),
                                 counted(t.api_calls, "API call", "API calls"), cupti_text(t));
  if (t.migrations > 0) text += fmt::format("; {} of the copies are migrations of unified memory", t.migrations);
  if (t.allocations > 0)
    text += fmt::format("; {}", counted(t.allocations, "allocation or release", "allocations and releases"));
  if (t.page_faults > 0) text += fmt::format("; {}", counted(t.page_faults, "page fault", "page faults"));
  if (t.chains > 0) text += fmt::format("; {}", counted(t.chains, "back trace", "back traces"));
  return text;
}

std::string what_it_cost(const CudaTally& t) {
  return fmt::format(
      "CUPTI handed over {} records in {:.1f} MB: a thread of the recorder's took {:.3f} ms for them, CUPTI's "
      "callbacks "
      "{:.3f} ms; what CUPTI itself costs the program is not in that",
      t.records, static_cast<double>(t.bytes) / kBytesPerMegabyte, static_cast<double>(t.busy_ns) / kMillisecondNs,
      static_cast<double>(t.callback_ns) / kMillisecondNs);
}

/// Why there is nothing, or not all, by what the processes said. One sentence each.
std::string state_text(CudaState state, const std::string& text, const CudaTally& t) {
  switch (state) {
    case CudaState::no_library:
      return fmt::format(
          "CUDA was not recorded: no CUPTI could be opened ({}); it comes with the CUDA toolkit or with pip's "
          "nvidia-cuda-cupti package, and SONDE_CUPTI names one that lies elsewhere",
          text);
    case CudaState::unknown_version:
      return fmt::format(
          "CUDA was not recorded: CUPTI {} ({}) is not one that this Sonde knows, and its records would be misread; "
          "SONDE_CUPTI names another, of CUDA 11.4 to 13.4",
          version_text(t.versions.at(text)), text);
    case CudaState::other_tool:
      return fmt::format(
          "CUDA was not recorded: CUPTI serves another profiler in the program, and only one at a time; end that one "
          "first (nsys, ncu, torch.profiler): {}",
          text);
    case CudaState::failed: return fmt::format("CUDA was not recorded: CUPTI failed: {}", text);
    case CudaState::lacks: return fmt::format("a part of CUDA was not recorded: {}", text);
    case CudaState::recording: break;
  }
  return {};
}

void add_states(std::vector<Remark>& remarks, const CudaTally& t) {
  for (const auto& [said, processes] : t.states) {
    std::string text = state_text(said.first, said.second, t);
    if (text.empty()) continue;
    if (processes > 1) text += fmt::format(" (in {} processes)", processes);
    remarks.push_back({true, std::move(text)});
  }
}

/// A recording with calls that start kernels and no kernel is worthless, whatever CUPTI said.
void add_arrivals(std::vector<Remark>& remarks, const CudaTally& t) {
  const int64_t started = t.launches + t.graph_starts;
  if (started > 0 && t.kernels == 0 && t.graph_launches == 0) {
    remarks.push_back({true, fmt::format("{} kernels or graphs, and CUPTI delivered not one of them: nothing is known "
                                         "of what the GPU did; run it once more, and without other profilers",
                                         counted(started, "call started", "calls started"))});
  } else if (t.launched_nothing > 0) {
    remarks.push_back(
        {false, fmt::format("{} of {} that start a kernel have none in the recording: it never arrived, was "
                            "dropped or invalid, went into a CUDA graph, or had not ended",
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
      "records of CUPTI without times (start and end are 0), left out; its versions of CUDA 12.6 to 13.0 are known for "
      "it, as are long runs of graphs");
  if (unfinished > 0) {
    remarks.push_back(
        {false, fmt::format("{} had not ended when the recording did, and have no times: left out",
                            counted(static_cast<int64_t>(unfinished), "GPU operation", "GPU operations"))});
  }
  add(of(CudaInvalid::backwards), "records of CUPTI that end before they start, left out");
  add(of(CudaInvalid::unknown_kind), "records of CUPTI of an unknown kind, left out");
  add(of(CudaInvalid::cut),
      "records of CUPTI that could not be read, and what followed them in their buffers, left out");
  add(static_cast<uint64_t>(t.broken_times), "records of CUDA with damaged times, left out");
  add(t.dropped, "records that CUPTI dropped, as it says itself: it had no buffer for them");
  add(t.flush_failures, "times that CUPTI did not hand over what it held; it may have come later");
  add(t.nameless,
      "records of CUPTI whose names had no room in the recording: kernels among them stand there without a name");
}

void add_holding(std::vector<Remark>& remarks, uint32_t holding, const Wanted& wanted) {
  if (holding == 0) return;
  remarks.push_back(
      {true, fmt::format(
                 "{} ended by a signal, became another program or went on: of what CUDA did there in the last {} "
                 "ms, CUPTI may have handed over nothing",
                 counted(holding, "process that uses CUDA", "processes that use CUDA"), wanted.cuda_options.flush_ms)});
}

void add_clock(std::vector<Remark>& remarks, const CudaTally& t) {
  constexpr int64_t kNoticeableNs = 1000;
  if (t.clock_error_ns < kNoticeableNs && std::abs(t.clock_drift_ns) < kNoticeableNs) return;
  remarks.push_back(
      {false, fmt::format("this CUPTI has a clock of its own: CUDA's times are placed among the others to {} ns; "
                          "it went apart from theirs by {} ns until the recording's end, and was followed",
                          t.clock_error_ns, t.clock_drift_ns)});
}

void add_graphs(std::vector<Remark>& remarks, const CudaTally& t, const Wanted& wanted) {
  if (t.graph_launches == 0 || (wanted.cuda_options.extras & wire::kCudaGraphNodes) != 0) return;
  remarks.push_back(
      {false, fmt::format("{} recorded as a whole, without the kernels in {}: --cuda-graph-trace=node "
                          "records them, at a higher cost",
                          counted(t.graph_launches, "launch of a CUDA graph is", "launches of CUDA graphs are"),
                          t.graph_launches == 1 ? "it" : "them")});
}

}  // namespace

void add_cuda_remarks(std::vector<Remark>& remarks, const CudaTally& tally, const Wanted& wanted, uint32_t holding) {
  if (tally.states.empty() && tally.processes == 0 && tally.events() == 0) {
    remarks.push_back({false, "no process used CUDA: there was nothing of the GPU to record"});
    return;
  }
  if (tally.processes > 0) {
    remarks.push_back({false, what_was_recorded(tally)});
    remarks.push_back({false, what_it_cost(tally)});
  }
  add_states(remarks, tally);
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
