#include "api/problems.h"

#include <algorithm>
#include <array>

#include "api/problem.h"

namespace sonde::api {
namespace {

using Arguments = std::initializer_list<std::pair<std::string_view, std::string_view>>;

constexpr auto kRows = std::to_array<ProblemRow>({
#define SONDE_PROBLEM(status, code, title, detail) {status, #code, title, detail},
#include "api/problems_en.inc"
#undef SONDE_PROBLEM
});

/// Values are put in once: a {name} inside of one stays as it is.
std::string filled_in(std::string_view text, Arguments arguments) {
  std::string filled;
  while (!text.empty()) {
    const size_t open = std::min(text.find('{'), text.size());
    filled += text.substr(0, open);
    text.remove_prefix(open);
    const size_t close = text.find('}');
    if (text.empty() || close == std::string_view::npos) break;
    const auto* const value = std::ranges::find(arguments, text.substr(1, close - 1), &Arguments::value_type::first);
    filled += value == arguments.end() ? text.substr(0, close + 1) : value->second;
    text.remove_prefix(close + 1);
    // A question ends its sentence itself.
    if (filled.ends_with('?') && text.starts_with('.')) text.remove_prefix(1);
  }
  return filled.append(text);
}

}  // namespace

std::span<const ProblemRow> problem_rows() { return kRows; }

Response refuse(std::string_view code, Arguments arguments) {
  const auto* const row = std::ranges::find(kRows, code, &ProblemRow::code);
  if (row == kRows.end()) return refuse("internal_error");
  Response response = problem(row->status, row->code, row->title, filled_in(row->detail, arguments));
  if (row->status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"sonde\"");
  return response;
}

}  // namespace sonde::api
