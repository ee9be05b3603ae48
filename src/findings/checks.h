#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text_catalogue.h"
#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// A property of a profile that a conclusion needs.
enum class Check : uint8_t {
#define SONDE_CHECK(name, says) name,
#include "findings/checks.inc"
#undef SONDE_CHECK
  count_
};

/// The checks that a rule asks for. Complete records include those that the recording's window cuts off.
class Checks {
 public:
  constexpr Checks(std::initializer_list<Check> checks) {
    for (const Check check : checks) bits_ |= bit(check);
    if (has(Check::records_complete)) bits_ |= bit(Check::window_long_enough);
  }
  [[nodiscard]] constexpr bool has(Check check) const { return (bits_ & bit(check)) != 0; }

 private:
  /// Constant: rules are filled before main() from checks that other files define.
  static constexpr uint64_t bit(Check check) { return uint64_t{1} << static_cast<unsigned>(check); }
  uint64_t bits_ = 0;
};

/// A check that the profile does not pass.
struct FailedCheck {
  Check check = Check::count_;
  std::string text_id;
  std::vector<Argument> arguments;
};

/// All checks that the profile does not pass.
[[nodiscard]] std::vector<FailedCheck> failed_checks(const Facts& facts);

/// "check.<name>.says" of each check.
[[nodiscard]] std::span<const CatalogueText> check_texts();

/// A check in docs/profiles/findings.md.
struct CheckDoc {
  Check check = Check::count_;
  std::string_view name;
  std::string fails_when;
};
[[nodiscard]] std::vector<CheckDoc> check_docs();

}  // namespace sonde
