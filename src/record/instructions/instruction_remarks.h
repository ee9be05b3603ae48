#pragma once

#include "record/instructions/instruction_counts.h"
#include "record/record.h"

namespace sonde::record {

/// How counting instructions went, and why something was not counted: with what to do about it. `alone`: no launch has
/// counters or samples, too.
void add_instruction_remarks(std::vector<Remark>& remarks, const InstructionTally& tally, bool alone);

}  // namespace sonde::record
