#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record/rounds/slices.h"

namespace sonde::record {

/// Whether a launcher tells a process its rank by this variable (wire/rank_variables.inc), so that "%q{NAME}" may be in
/// the name of a profile although the recorder's own environment lacks it: there is a profile for each rank then.
[[nodiscard]] bool names_rank(std::string_view variable);

/// Whether there is such a variable in the name of a profile.
[[nodiscard]] bool has_rank_macro(std::string_view output);

/// A profile of those that a recording is divided into.
struct RankPart {
  std::string output;
  std::set<uint32_t> processes;
};

/// By the ranks of the recorded processes, in their order; processes without one, such as the launcher's own, make one
/// with "launcher" in place of the rank. At least one part.
[[nodiscard]] std::vector<RankPart> rank_parts(const Slices& slices, const std::string& output);

/// What these processes wrote, and what was taken of them.
[[nodiscard]] Slices slices_of(const Slices& slices, const std::set<uint32_t>& processes);

}  // namespace sonde::record
