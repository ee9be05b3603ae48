#include "record/kernels/measure_remarks.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/instructions/instruction_remarks.h"
#include "record/pc_sampling/sample_remarks.h"

namespace sonde::record {
namespace {

using wire::MeasureState;

/// CUptiResult (cupti_result.h) where a person can do something about it.
struct Cause {
  int32_t result;
  std::string_view text;
};

constexpr std::string_view kNotPermitted =
    "this user may not read the GPU's counters. As root, write \"options nvidia "
    "NVreg_RestrictProfilingToAdminUsers=0\" into /etc/modprobe.d/nvidia-profiler.conf and restart the machine; or run "
    "with CAP_SYS_ADMIN (a container: --cap-add=SYS_ADMIN)";

constexpr std::array kCauses = {
    Cause{2, "CUPTI does not know this GPU"},
    Cause{8, "CUPTI ran out of memory"},
    Cause{9,
          "the GPU's counters are taken: another profiler (Nsight Compute, DCGM) measures on it. Stop it, or pause "
          "DCGM with dcgmi profile --pause"},
    Cause{27, "this GPU cannot do it in this way"},
    Cause{35, kNotPermitted},
    Cause{36, "an older profiler is at work in the program"},
    Cause{38, "CUPTI measures GPUs of compute capability 7.0 and later (Volta), and knows none before"},
    Cause{39, "another profiler has attached to the program: CUPTI serves one"},
    Cause{40, "this virtual GPU has its counters switched off: the host's administrator must enable profiling for it"},
    Cause{41, "the GPU runs in confidential computing mode, which has no counters"},
    Cause{42, "mining GPUs have no counters"},
    Cause{43, "counters cannot be had on this MIG instance: use one that holds the whole GPU, or switch MIG off"},
    Cause{44, "GPUs joined by SLI have no counters: switch SLI off"},
    Cause{45, "this version of WSL has no counters"},
    Cause{46, "this CUPTI is older than the GPU: a newer CUDA's libcupti, named by SONDE_CUPTI, knows it"},
    Cause{999, "CUPTI gave no reason; MPS (nvidia-cuda-mps-control) and other profilers on this GPU are known causes"},
};

std::string text_of(const MeasureNote& note) {
  switch (note.state) {
    case MeasureState::no_cupti:
      return fmt::format(
          "kernels were not measured: no CUPTI could be opened ({}); it comes with the CUDA toolkit or with pip's "
          "nvidia-cuda-cupti package, and SONDE_CUPTI names one that lies elsewhere",
          note.text);
    case MeasureState::too_old:
      return fmt::format(
          "kernels were not measured: this CUPTI (version {}) has no {}, which CUDA 12.6 and later bring; SONDE_CUPTI "
          "names another libcupti",
          note.result, note.text);
    case MeasureState::no_settings:
      return "kernels were not measured: the program could not read what to measure (does it run in another "
             "container?)";
    case MeasureState::failed:
      return fmt::format("kernels were not measured further: {} ({} gave {})", cause_of(note.result), note.text,
                         note.result);
    case MeasureState::graphs:
      return "kernels in CUDA graphs were not measured: switch graphs off for this run where the program can "
             "(torch.compile mode=\"default\", vLLM --enforce-eager). Their share of the time is not known here; sonde "
             "study says it, and sonde record --cuda-graph-trace node has their times";
    case MeasureState::captured: return "kernels that were captured into a CUDA graph were not measured";
    case MeasureState::collective:
      return fmt::format(
          "kernels of NCCL and NVSHMEM and cooperative launches were not measured: they wait for others, and would "
          "wait "
          "for ever where they are run again alone (the first one was {})",
          note.text);
    case MeasureState::given_up:
      return fmt::format(
          "kernels were not measured further: {} launches waited too long for one of another thread that was being "
          "measured; choose fewer by --kernel-regex or --nvtx-include",
          note.result);
    case MeasureState::empty: return "launches came back without values, and are left out (did they fail?)";
    case MeasureState::contexts: return "the program has more CUDA contexts than can be measured in";
    case MeasureState::ranges:
      return "more start/end ranges of --nvtx-include or --nvtx-exclude were open at once than can be kept in mind: "
             "what was measured in and around them may be too much or too little";
    case MeasureState::kinds:
      return "the program has more different launches than are told apart: the later ones were not measured";
    default: return {};
  }
}

/// Each process counts anew.
void add_waits(std::vector<Remark>& remarks, const MeasureTally& tally) {
  int32_t most = 0;
  for (const MeasureNote& note : tally.notes) {
    if (note.state == MeasureState::waited) most = std::max(most, note.result);
  }
  if (most == 0) return;
  remarks.push_back({true, fmt::format("{} launch{} of a process not measured: another thread's took too long to be "
                                       "measured at that time",
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
        {false, fmt::format("CUPTI cannot count beside the others: {}; measure them alone", fmt::join(refused, ", "))});
  }
}

/// Of samples and counts of instructions together.
void add_code_remarks(std::vector<Remark>& remarks, const MeasureTally& tally, const MeasureRequest& request) {
  if (request.samples) add_sample_remarks(remarks, tally.samples, request);
  const bool counted_alone = tally.values == 0 && tally.samples.launches == 0;
  if (request.instructions) add_instruction_remarks(remarks, tally.instructions, counted_alone);
  if (tally.incomplete_code > 0) {
    remarks.push_back(
        {true, fmt::format("the source lines of {} files of code did not arrive as a whole and are left out",
                           tally.incomplete_code)});
  }
  if (tally.without_lines > 0) {
    remarks.push_back(
        {false,
         fmt::format("{} of the measured functions have no source lines, only offsets of instructions: nvcc -lineinfo "
                     "builds code with lines",
                     tally.without_lines)});
  }
  if (tally.samples.launches > 0 && !request.instructions) {
    remarks.push_back({false,
                       "how often each instruction ran is not recorded: --instruction-counts does it. Their text "
                       "(SASS) never is: ncu --section SourceCounters has it"});
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
         fmt::format("measured {} kernel launch{} in {} pass{} each ({} values); their times are those of kernels "
                     "run one by one",
                     tally.kernels, tally.kernels == 1 ? "" : "es", tally.passes, tally.passes == 1 ? "" : "es",
                     tally.values)});
  }
  for (const MeasureNote& note : tally.notes) {
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
