#pragma once

#include <string_view>

#include "api/message.h"

namespace sonde::server {

/// A row of refusals_en.inc.
struct Refusal {
  std::string_view id;
  int status = 0;
  std::string_view title;
  std::string_view detail;
};

namespace refusals {
#define SONDE_REFUSAL(id, status, title, detail) inline constexpr Refusal id{#id, status, title, detail};
#include "server/refusals_en.inc"
#undef SONDE_REFUSAL
}  // namespace refusals

/// As problem+json. With Retry-After where it is worth trying again.
[[nodiscard]] api::Response refused(const Refusal& refusal);

}  // namespace sonde::server
