#include <array>

#include "doctor/check.h"

namespace sonde::doctor {

std::string_view outcome_name(Outcome outcome) {
  static constexpr std::array<std::string_view, 4> kNames = {"good", "note", "wrong", "not_checked"};
  return kNames.at(static_cast<size_t>(outcome));
}

}  // namespace sonde::doctor
