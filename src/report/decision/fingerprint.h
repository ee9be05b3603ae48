#pragma once

#include <map>
#include <string>

#include "gate/verdict.h"

namespace sonde {

/// What a check is known by from one run of the gate to the next: its metric, its rule's name and its subject, not its
/// line nor its outcome. 16 hexadecimal digits; alike checks of one decision are distinguished by their order.
class Fingerprints {
 public:
  [[nodiscard]] std::string next(const gate::Verdict& verdict);

 private:
  std::map<std::string, int> seen_;
};

/// A path as a URI reference, relative where it is: "budgets/a%20b.yaml".
[[nodiscard]] std::string path_uri(std::string_view path);

}  // namespace sonde
