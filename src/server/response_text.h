#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/message.h"

namespace sonde::server {

/// How the head of a response is written.
struct HeadForm {
  bool keep_alive = true;
  bool http_1_0 = false;
  bool endless = false;  ///< the body ends with the connection
  int64_t now_s = 0;     ///< since 1970
};

/// Status line and fields, with the empty line behind them. Fields that a response must have and lacks are added:
/// Date, Content-Length, Cache-Control: no-store, and what keeps browsers from guessing. Control characters in values
/// become blanks, so that no value can add a field.
[[nodiscard]] std::string head_text(const api::Response& response, const HeadForm& form);

/// "Bad Request"; the class's name for a status that is not known.
[[nodiscard]] std::string_view status_text(int status);

}  // namespace sonde::server
