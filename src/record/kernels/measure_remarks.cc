#include "record/kernels/measure_remarks.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/cuda/no_gpu.h"
#include "record/instructions/instruction_remarks.h"
#include "record/pc_sampling/sample_remarks.h"
#include "wire/call_result.h"

namespace sonde::record {
namespace {

using wire::MeasureState;

/// CUptiResult (cupti_result.h) where a person can do something about it.
struct Cause {
  int32_t result;
  std::string_view text;
};

constexpr std::string_view kNotPermitted =
    "this user is not permitted to read the GPU's counters. As root, write \"options nvidia "
    "NVreg_RestrictProfilingToAdminUsers=0\" to /etc/modprobe.d/nvidia-profiler.conf and reboot; or run "
    "with CAP_SYS_ADMIN (a container: --cap-add=SYS_ADMIN)";

constexpr std::array kCauses = {
    Cause{wire::kThrew, "CUPTI threw an exception"},
    Cause{wire::kTooLate, "the program had begun to exit"},
    Cause{2, "CUPTI does not support this GPU"},
    Cause{8, "CUPTI ran out of memory"},
    Cause{9,
          "the GPU's counters are in use by another profiler (Nsight Compute, DCGM). Stop it, or pause "
          "DCGM with dcgmi profile --pause"},
    Cause{15,
          "CUPTI's profiler is not initialized: it needs libnvperf_host.so and libnvperf_target.so, which belong into "
          "libcupti's folder"},
    Cause{27, "this GPU does not support this operation"},
    Cause{35, kNotPermitted},
    Cause{36, "an older profiler is active in the program"},
    Cause{38, "CUPTI measures only GPUs of compute capability 7.0 (Volta) and later"},
    Cause{39, "another profiler is attached to the program, and CUPTI serves one at a time"},
    Cause{40, "the counters of this virtual GPU are disabled; the host's administrator must enable profiling for it"},
    Cause{41, "the GPU runs in confidential computing mode, which does not provide counters"},
    Cause{42, "mining GPUs do not provide counters"},
    Cause{43, "this MIG instance does not provide counters; use an instance of the whole GPU, or disable MIG"},
    Cause{44, "GPUs in SLI do not provide counters; disable SLI"},
    Cause{45, "this version of WSL does not provide counters"},
    Cause{46, "this CUPTI is too old for the GPU; set SONDE_CUPTI to libcupti of a newer CUDA"},
    Cause{999,
          "CUPTI returned no reason; known causes are MPS (nvidia-cuda-mps-control) and other profilers on this GPU"},
};

std::string text_of(const MeasureNote& note) {
  switch (note.state) {
    case MeasureState::no_cupti:
      return fmt::format(
          "kernels were not measured: CUPTI could not be opened ({}); install the CUDA toolkit or pip's "
          "nvidia-cuda-cupti package, or set SONDE_CUPTI to the path of libcupti",
          note.text);
    case MeasureState::too_old:
      return fmt::format(
          "kernels were not measured: this CUPTI (version {}) has no {}, which needs CUDA 12.6 or later; set "
          "SONDE_CUPTI "
          "to another libcupti",
          note.result, note.text);
    case MeasureState::no_settings:
      return "kernels were not measured: the program could not read the measurement settings (does it run in another "
             "container?)";
    case MeasureState::no_gpu: return "kernels were not measured: " + no_gpu_text(note.result);
    case MeasureState::failed:
      return fmt::format("kernel measurement stopped: {} ({} returned {})", cause_of(note.result), note.text,
                         note.result);
    case MeasureState::graphs:
      return "kernels in CUDA graphs were not measured; disable graphs for this run if the program allows it "
             "(torch.compile mode=\"default\", vLLM --enforce-eager). Their share of the time is unknown here; `sonde "
             "study` reports it, and `sonde record --cuda-graph-trace node` records their times";
    case MeasureState::captured: return "kernels that were captured into a CUDA graph were not measured";
    case MeasureState::collective:
      return fmt::format(
          "NCCL kernels, NVSHMEM kernels and cooperative launches were not measured: they wait for other kernels, and "
          "would "
          "wait "
          "forever when replayed alone (the first one was {})",
          note.text);
    case MeasureState::given_up:
      return fmt::format(
          "kernel measurement stopped: {} launches waited too long for a launch of another thread that was being "
          "measured; select fewer kernels with --kernel-regex or --nvtx-include",
          note.result);
    case MeasureState::empty: return "launches without values were skipped (did they fail?)";
    case MeasureState::contexts: return "the program has more CUDA contexts than can be measured";
    case MeasureState::ranges:
      return "too many start/end ranges of --nvtx-include or --nvtx-exclude were open at once; "
             "the selection of kernels in and around them may be wrong";
    case MeasureState::kinds:
      return "the program has too many different launches to distinguish; later ones were not measured";
    default: return {};
  }
}

/// Each process counts again.
void add_waits(std::vector<Remark>& remarks, const MeasureTally& tally) {
  int32_t most = 0;
  for (const MeasureNote& note : tally.notes) {
    if (note.state == MeasureState::waited) most = std::max(most, note.result);
  }
  if (most == 0) return;
  remarks.push_back({true, fmt::format("{} launch{} of a process not measured: another thread's launch was "
                                       "being measured for too long at that time",
                                       most, most == 1 ? " was" : "es were")});
}

void add_metric_remarks(std::vector<Remark>& remarks, const MeasureTally& tally, const MeasureRequest& request) {
  std::vector<std::string> unknown;
  std::vector<std::string> refused;
  for (const MeasureNote& note : tally.notes) {
    if (note.state == MeasureState::refused_metric) refused.push_back(note.text);
    const std::span named(request.metrics.data(), request.named);
    if (note.state != MeasureState::unknown_metric || std::ranges::find(named, note.text) == named.end()) continue;
    unknown.push_back(note.near.empty() ? note.text : fmt::format("{} (near it: {})", note.text, note.near));
  }
  if (!unknown.empty()) {
    remarks.push_back({false, fmt::format("this GPU cannot count: {}", fmt::join(unknown, ", "))});
  }
  if (!refused.empty()) {
    remarks.push_back(
        {false, fmt::format("CUPTI cannot count together with the others: {}; measure them in a separate run",
                            fmt::join(refused, ", "))});
  }
}

/// Of samples and counts of instructions together.
void add_code_remarks(std::vector<Remark>& remarks, const MeasureTally& tally, const MeasureRequest& request) {
  if (request.samples) add_sample_remarks(remarks, tally.samples, request);
  const bool counted_alone = tally.values == 0 && tally.samples.launches == 0;
  if (request.instructions) add_instruction_remarks(remarks, tally.instructions, counted_alone);
  if (tally.incomplete_code > 0) {
    remarks.push_back({true, fmt::format("the source lines of {} code files arrived incomplete and were skipped",
                                         tally.incomplete_code)});
  }
  if (tally.without_lines > 0) {
    remarks.push_back(
        {false,
         fmt::format("{} of the measured functions have no source lines, only instruction offsets; nvcc -lineinfo "
                     "adds them",
                     tally.without_lines)});
  }
  if (tally.samples.launches > 0 && !request.instructions) {
    remarks.push_back(
        {false,
         "execution counts of instructions are not recorded; --instruction-counts records them. Their text "
         "(SASS) is never recorded; ncu --section SourceCounters shows it"});
  }
}

bool is_ready(const MeasureTally& tally) {
  return std::ranges::any_of(tally.notes, [](const MeasureNote& n) { return n.state == MeasureState::ready; });
}

bool has_failed(const MeasureTally& tally) {
  return std::ranges::any_of(tally.notes, [](const MeasureNote& n) { return !text_of(n).empty(); });
}

/// Whether the GPU has none of what it was to count.
bool lacks_all(const MeasureTally& tally, const MeasureRequest& request) {
  const auto lacks = [&](const std::string& metric) {
    return std::ranges::any_of(tally.notes, [&](const MeasureNote& note) {
      return note.state == MeasureState::unknown_metric && note.text == metric;
    });
  };
  return !request.samples && !request.instructions && std::ranges::all_of(request.metrics, lacks);
}

/// Nothing is no success: why there may be nothing.
std::string why_none(const MeasureTally& tally, const MeasureRequest& request) {
  if (!is_ready(tally)) return "no kernel was measured: no process initialized CUDA under the recorder";
  if (lacks_all(tally, request)) return "no kernel was measured: this GPU has none of the metrics";
  std::vector<std::string> narrowed;
  if (!request.kernel.empty()) narrowed.push_back("--kernel-regex " + request.kernel);
  for (const RangeFilter& filter : request.filters) {
    narrowed.push_back((filter.exclude ? "--nvtx-exclude " : "--nvtx-include ") + filter.text);
  }
  if (request.listed) narrowed.emplace_back("--kernels-from");
  if (request.skip > 0) narrowed.push_back(fmt::format("--launch-skip {}", request.skip));
  return narrowed.empty() ? "no kernel was measured: the program launched none"
                          : fmt::format("no kernel was measured: no launch passed {}", fmt::join(narrowed, ", "));
}

}  // namespace

std::string cause_of(int32_t result) {
  const auto* const known = std::ranges::find(kCauses, result, &Cause::result);
  return known == kCauses.end() ? fmt::format("CUPTI's error {}", result) : std::string(known->text);
}

std::vector<Remark> measure_remarks(const MeasureTally& tally, const MeasureRequest& request) {
  std::vector<Remark> remarks;
  if (tally.kernels > 0 && !request.metrics.empty()) {
    remarks.push_back(
        {false,
         fmt::format("measured {} kernel launch{} in {} pass{} each ({} values); the measured times are of kernels "
                     "that run alone",
                     tally.kernels, tally.kernels == 1 ? "" : "es", tally.passes, tally.passes == 1 ? "" : "es",
                     tally.values)});
  }
  const bool no_gpu =
      std::ranges::any_of(tally.notes, [](const MeasureNote& note) { return note.state == MeasureState::no_gpu; });
  for (const MeasureNote& note : tally.notes) {
    if (no_gpu && note.text == "cuptiSubscribe") continue;
    if (std::string text = text_of(note); !text.empty()) remarks.push_back({true, std::move(text)});
  }
  add_waits(remarks, tally);
  add_code_remarks(remarks, tally, request);
  if (tally.kernels == 0 && !has_failed(tally) && tally.samples.notes.empty() && tally.instructions.notes.empty() &&
      tally.instructions.unfinished.empty()) {
    remarks.push_back({true, why_none(tally, request)});
  }
  add_metric_remarks(remarks, tally, request);
  return remarks;
}

}  // namespace sonde::record
