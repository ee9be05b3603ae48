#include "record/pc_sampling/sample_remarks.h"

#include <fmt/format.h>

#include "record/kernels/measure_remarks.h"

namespace sonde::record {
namespace {

using wire::PcState;

std::string text_of(const SampleNote& note) {
  switch (note.state) {
    case PcState::too_old:
      return fmt::format(
          "kernels were not sampled: this CUPTI (version {}) has no {}; SONDE_CUPTI names another libcupti",
          note.result, note.text);
    case PcState::failed:
      return fmt::format("kernels were not sampled further: {} ({} gave {})", cause_of(note.result), note.text,
                         note.result);
    case PcState::code_full:
      return "the program loaded more code with source lines than is kept: later kernels have offsets of instructions "
             "only";
    default: return {};
  }
}

/// Every count that is not 0, as a warning.
void add_losses(std::vector<Remark>& remarks, const SampleTally& t) {
  const auto warn = [&](auto count, std::string text) {
    if (count > 0) remarks.push_back({true, std::move(text)});
  };
  warn(t.full, fmt::format("the hardware's buffer was full in {} sampled launches, whose later samples are missing: "
                           "--sampling-interval takes fewer",
                           t.full));
  warn(t.dropped,
       fmt::format("the hardware dropped {} of {} samples: --sampling-interval takes fewer", t.dropped, t.total));
  warn(t.empty, fmt::format("{} sampled launches have no sample of their own: they are too short for the interval of "
                            "samples, which --sampling-interval sets",
                            t.empty));
  warn(t.unnamed,
       fmt::format("{} samples have a stall reason that CUPTI does not name: they count as samples only", t.unnamed));
}

}  // namespace

void add_sample_remarks(std::vector<Remark>& remarks, const SampleTally& tally, const MeasureRequest& request) {
  if (tally.launches > 0) {
    const char* const when = request.metrics.empty() ? "" : ", each the next one like a launch that was counted";
    remarks.push_back({false, fmt::format("sampled {} kernel launches{}: {} samples at {} instructions", tally.launches,
                                          when, tally.samples, tally.instructions)});
  }
  for (const SampleNote& note : tally.notes) {
    if (std::string text = text_of(note); !text.empty()) remarks.push_back({true, std::move(text)});
  }
  if (tally.without > 0 && tally.notes.empty()) {
    remarks.push_back({false, fmt::format("{} counted launches have no samples, since none like them came again: "
                                          "--section SourceCounters alone samples the first",
                                          tally.without)});
  }
  add_losses(remarks, tally);
  if (tally.elsewhere + tally.other_kernels > 0) {
    remarks.push_back(
        {false, fmt::format("{} samples lie in functions that kernels call, or in kernels of other streams "
                            "that ran beside them: they have no place in the tables",
                            tally.elsewhere + tally.other_kernels)});
  }
}

}  // namespace sonde::record
