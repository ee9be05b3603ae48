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
          "kernels were not sampled: this CUPTI (version {}) has no {}; set SONDE_CUPTI to another libcupti",
          note.result, note.text);
    case PcState::failed:
      return fmt::format("kernel sampling stopped: {} ({} returned {})", cause_of(note.result), note.text, note.result);
    case PcState::code_full:
      return "the program loaded more code with source lines than the recorder keeps; later kernels have instruction "
             "offsets "
             "only";
    default: return {};
  }
}

/// Every count that is not 0, as a warning.
void add_losses(std::vector<Remark>& remarks, const SampleTally& t) {
  const auto warn = [&](auto count, std::string text) {
    if (count > 0) remarks.push_back({true, std::move(text)});
  };
  warn(t.full, fmt::format("the hardware buffer was full in {} sampled launches, and their later samples are missing; "
                           "a larger --sampling-interval takes fewer samples",
                           t.full));
  warn(t.dropped, fmt::format("the hardware dropped {} of {} samples; a larger --sampling-interval takes fewer",
                              t.dropped, t.total));
  warn(t.empty, fmt::format("{} sampled launches have no samples because they are too short for the "
                            "sampling interval (--sampling-interval)",
                            t.empty));
  warn(t.unnamed,
       fmt::format("{} samples have a stall reason that CUPTI does not name; they count in the total only", t.unnamed));
}

}  // namespace

void add_sample_remarks(std::vector<Remark>& remarks, const SampleTally& tally, const MeasureRequest& request) {
  if (tally.launches > 0) {
    const char* const when = request.metrics.empty() ? "" : ", each the next launch of the same kind as a counted one";
    remarks.push_back({false, fmt::format("sampled {} kernel launches{}: {} samples at {} instructions", tally.launches,
                                          when, tally.samples, tally.instructions)});
  }
  for (const SampleNote& note : tally.notes) {
    if (std::string text = text_of(note); !text.empty()) remarks.push_back({true, std::move(text)});
  }
  if (tally.without > 0 && tally.notes.empty()) {
    remarks.push_back(
        {false, fmt::format("{} counted launches have no samples because no later launch of the same kind followed; "
                            "--section SourceCounters alone samples the first launch",
                            tally.without)});
  }
  add_losses(remarks, tally);
  if (tally.elsewhere + tally.other_kernels > 0) {
    remarks.push_back(
        {false, fmt::format("{} samples are in functions that kernels call, or in concurrent kernels of other streams; "
                            "they are not in the tables",
                            tally.elsewhere + tally.other_kernels)});
  }
}

}  // namespace sonde::record
