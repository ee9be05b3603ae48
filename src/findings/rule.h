#pragma once

#include <span>

#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// What the rules made of a run.
struct Diagnosis {
  std::vector<Finding> findings;  ///< the highest ceiling first, mere bounds last
  std::vector<Abstention> abstentions;
};

/// One kind of problem. A rule is one file, and one line in list.inc.
struct Rule {
  std::string_view name;
  std::string_view description;
  Fields fields;
  /// Adds what it finds, or which check of the profile forbade a conclusion.
  void (*judge)(const Facts& facts, Diagnosis& diagnosis);
};

[[nodiscard]] std::span<const Rule* const> rules();
[[nodiscard]] Fields diagnosis_fields();
[[nodiscard]] Diagnosis diagnose(const Facts& facts);

}  // namespace sonde
