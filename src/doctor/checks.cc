#include <array>

#include "doctor/check.h"

namespace sonde::doctor {

#define SONDE_CHECK(name) extern const Check name##_check;
#include "doctor/checks/list.inc"
#undef SONDE_CHECK

std::span<const Check* const> checks() {
  static const std::array all = {
#define SONDE_CHECK(name) &name##_check,
#include "doctor/checks/list.inc"
#undef SONDE_CHECK
  };
  return all;
}

}  // namespace sonde::doctor
