#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/tables/table.h"

namespace sonde {

/// A named argument of a text, as a number with a unit or as a text. Renderers print it for people or for machines.
struct Argument {
  std::string name;
  Unit unit = Unit::none;
  double number = 0;
  std::string text;  ///< counts instead of the number where it is not empty
};

/// Where a finding shows on the timeline.
struct Evidence {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::string place;  ///< GPU or thread
  std::string what;   ///< call, range or kernel; may be empty
};

/// A finding shows no more than these, the heaviest.
inline constexpr size_t kMostEvidence = 10;

/// Something that is wrong. What it says and what to do are texts by id (texts.h): "<id>.says" and "<id>.do".
struct Finding {
  std::string id;
  std::vector<Argument> arguments;
  int64_t ceiling_ns = 0;               ///< the most wall time that a fix can save
  bool reachable = true;                ///< false for a mere bound, which no fix reaches: it stands behind the others
  bool takes_time = true;               ///< false for what costs nothing yet: its ceiling is 0
  std::vector<Evidence> evidence = {};  ///< the heaviest first
  std::vector<std::string_view> not_recorded = {};  ///< what its rule would have looked at too (coverage.inc)
};

/// A conclusion that the profile cannot carry: which check failed, "<id>.says" of texts.h.
struct Abstention {
  std::string_view rule;
  std::string id;
  std::vector<Argument> arguments;
};

}  // namespace sonde
