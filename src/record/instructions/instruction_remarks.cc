#include "record/instructions/instruction_remarks.h"

#include <fmt/format.h>

#include "record/kernels/measure_remarks.h"

namespace sonde::record {
namespace {

std::string text_of(const CountingNote& note) {
  if (note.state == wire::PcState::counting_too_old) {
    return fmt::format(
        "instructions were not counted: this CUPTI (version {}) has no {}; SONDE_CUPTI names another libcupti",
        note.result, note.text);
  }
  return fmt::format("instructions were not counted further: {} ({} gave {})", cause_of(note.result), note.text,
                     note.result);
}

bool is_alone(const MeasureRequest& request) { return request.metrics.empty() && !request.samples; }

}  // namespace

void add_instruction_remarks(std::vector<Remark>& remarks, const InstructionTally& tally,
                             const MeasureRequest& request) {
  if (tally.launches > 0) {
    const char* const when = is_alone(request) ? "" : ", each a later one like a launch that was measured";
    remarks.push_back(
        {false, fmt::format("counted the instructions of {} kernel launch{}{}: {} by warps, in {} places",
                            tally.launches, tally.launches == 1 ? "" : "es", when, tally.executed, tally.places)});
  }
  for (const CountingNote& note : tally.notes) remarks.push_back({true, text_of(note)});
  if (!tally.unfinished.empty() && tally.notes.empty()) {
    remarks.push_back(
        {true, fmt::format("a process ended while CUPTI was to count the instructions of {}: where it hung "
                           "there, leave --instruction-counts out",
                           tally.unfinished)});
  }
  if (tally.without > 0 && tally.launches > 0 && tally.notes.empty()) {
    remarks.push_back({false, fmt::format("{} measured launches have no counts of their instructions, since none like "
                                          "them came again: --instruction-counts alone counts the first",
                                          tally.without)});
  }
  if (tally.empty > 0) {
    remarks.push_back({true, fmt::format("CUPTI gave no counts of instructions for {} launches", tally.empty)});
  }
  if (tally.dropped > 0) {
    remarks.push_back({true, fmt::format("CUPTI dropped {} counts of instructions", tally.dropped)});
  }
  if (tally.elsewhere > 0) {
    remarks.push_back(
        {false, fmt::format("{} instructions ran in functions that kernels call: they have no place in the "
                            "tables",
                            tally.elsewhere)});
  }
}

}  // namespace sonde::record
