#include "record/instructions/instruction_remarks.h"

#include <fmt/format.h>

#include "record/kernels/measure_remarks.h"

namespace sonde::record {
namespace {

std::string text_of(const CountingNote& note) {
  switch (note.state) {
    case wire::PcState::counting_too_old:
      return fmt::format(
          "instructions were not counted: this CUPTI (version {}) has no {}; set SONDE_CUPTI to another libcupti",
          note.result, note.text);
    case wire::PcState::counting_unknown:
      return fmt::format(
          "instructions were not counted: CUPTI has no {} for this GPU (error {}); --metrics smsp__inst_executed.sum "
          "counts them per kernel",
          note.text, note.result);
    default:
      return fmt::format("instruction counting stopped: {} ({} returned {})", cause_of(note.result), note.text,
                         note.result);
  }
}

/// Profiles of so many launches become large: each has a row for each of its instructions.
constexpr int64_t kManyLaunches = 1000;

void add_counted(std::vector<Remark>& remarks, const InstructionTally& tally, bool alone) {
  if (tally.launches == 0) return;
  const char* const when = alone ? "" : ", each a later launch of the same kind as a measured one";
  const char* const fewer = tally.launches >= kManyLaunches ? "; --launches-each limits the number" : "";
  remarks.push_back(
      {false,
       fmt::format("counted the instructions of {} kernel launch{}{}: {} executed by warps, at {} instructions{}",
                   tally.launches, tally.launches == 1 ? "" : "es", when, tally.executed, tally.instructions, fewer)});
}

/// What was said to be missing has its reason already.
void add_missing(std::vector<Remark>& remarks, const InstructionTally& tally, bool alone) {
  if (!tally.notes.empty()) return;
  if (!tally.unfinished.empty()) {
    remarks.push_back(
        {true, fmt::format("the recording ended while CUPTI was counting the instructions of {}; if the program hung "
                           "there, record without --instruction-counts",
                           tally.unfinished)});
  } else if (tally.without > 0 && !alone) {
    remarks.push_back({false, fmt::format("{} measured launches have no instruction counts because no later launch of "
                                          "the same kind followed; --instruction-counts alone counts the first launch",
                                          tally.without)});
  }
}

}  // namespace

void add_instruction_remarks(std::vector<Remark>& remarks, const InstructionTally& tally, bool alone) {
  add_counted(remarks, tally, alone);
  for (const CountingNote& note : tally.notes) remarks.push_back({true, text_of(note)});
  add_missing(remarks, tally, alone);
  if (tally.empty > 0) {
    remarks.push_back({true, fmt::format("CUPTI returned no instruction counts for {} launches", tally.empty)});
  }
  if (tally.dropped > 0) {
    remarks.push_back({true, fmt::format("CUPTI dropped {} instruction counts", tally.dropped)});
  }
  if (tally.elsewhere > 0) {
    remarks.push_back({false, fmt::format("{} instructions ran in functions that kernels call; they are not in the "
                                          "tables",
                                          tally.elsewhere)});
  }
}

}  // namespace sonde::record
