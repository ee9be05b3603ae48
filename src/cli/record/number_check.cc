#include "cli/record/number_check.h"

#include <algorithm>

namespace sonde::record_cli {

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace sonde::record_cli
