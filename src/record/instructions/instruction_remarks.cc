#include "record/instructions/instruction_remarks.h"

#include <fmt/format.h>

#include "record/kernels/measure_remarks.h"

namespace sonde::record {
namespace {

std::string text_of(const CountingNote& note) {
  switch (note.state) {
    case wire::PcState::counting_too_old:
      return fmt::format(
          "instructions were not counted: this CUPTI (version {}) has no {}; SONDE_CUPTI names another libcupti",
          note.result, note.text);
    case wire::PcState::counting_unknown:
      return fmt::format(
          "instructions were not counted: CUPTI has no {} for this GPU (it gave {}); --metrics smsp__inst_executed.sum "
          "counts them by kernel",
          note.text, note.result);
    default:
      return fmt::format("instructions were not counted further: {} ({} gave {})", cause_of(note.result), note.text,
                         note.result);
  }
}

/// Profiles of so many launches become large: each has a row for each of its instructions.
constexpr int64_t kManyLaunches = 1000;

void add_counted(std::vector<Remark>& remarks, const InstructionTally& tally, bool alone) {
  if (tally.launches == 0) return;
  const char* const when = alone ? "" : ", each a later one like a launch that was measured";
  const char* const fewer = tally.launches >= kManyLaunches ? "; --launches-each takes fewer" : "";
  remarks.push_back(
      {false,
       fmt::format("counted the instructions of {} kernel launch{}{}: {} by warps, of {} instructions{}",
                   tally.launches, tally.launches == 1 ? "" : "es", when, tally.executed, tally.instructions, fewer)});
}

/// What was said to be missing has its reason already.
void add_missing(std::vector<Remark>& remarks, const InstructionTally& tally, bool alone) {
  if (!tally.notes.empty()) return;
  if (!tally.unfinished.empty()) {
    remarks.push_back(
        {true,
         fmt::format("the recording ended while CUPTI was to count the instructions of {}: where the program hung "
                     "there, leave --instruction-counts out",
                     tally.unfinished)});
  } else if (tally.without > 0 && !alone) {
    remarks.push_back({false, fmt::format("{} measured launches have no counts of their instructions, since none like "
                                          "them came again: --instruction-counts alone counts the first",
                                          tally.without)});
  }
}

}  // namespace

void add_instruction_remarks(std::vector<Remark>& remarks, const InstructionTally& tally, bool alone) {
  add_counted(remarks, tally, alone);
  for (const CountingNote& note : tally.notes) remarks.push_back({true, text_of(note)});
  add_missing(remarks, tally, alone);
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
