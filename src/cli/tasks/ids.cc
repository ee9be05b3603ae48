#include "cli/tasks/ids.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/decimal.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

/// A mistyped end of a range is no order to cancel everything.
constexpr size_t kMostIds = 1000;

std::unexpected<Error> no_id(std::string_view text) {
  return fail("'{}' is not a task ID; use 12, or 12,14-17 for several", one_line(text));
}

std::optional<int64_t> id_of(std::string_view text) {
  const auto id = text.starts_with('-') || text.starts_with('+') ? std::nullopt : integer_of<int64_t>(text);
  return id && *id > 0 ? id : std::nullopt;
}

/// "12" or "14-17".
Result<std::pair<int64_t, int64_t>> range_of(std::string_view text) {
  const size_t dash = text.find('-');
  const auto first = id_of(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : id_of(text.substr(dash + 1));
  if (!first || !last) return no_id(text);
  if (*last < *first) return fail("'{}' is not in ascending order; write {}-{}", text, *last, *first);
  return std::pair(*first, *last);
}

}  // namespace

Result<std::vector<int64_t>> parse_ids(std::span<const std::string> texts) {
  std::vector<int64_t> ids;
  for (std::string_view text : texts) {
    while (true) {
      const size_t comma = text.find(',');
      const auto range = range_of(text.substr(0, comma));
      if (!range) return std::unexpected(range.error());
      if (static_cast<uint64_t>(range->second - range->first) >= kMostIds) {
        return fail("more than {} tasks given; use several commands", kMostIds);
      }
      for (int64_t id = range->first; id <= range->second; ++id) {
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
      }
      if (ids.size() > kMostIds) return fail("more than {} tasks given; use several commands", kMostIds);
      if (comma == std::string_view::npos) break;
      text.remove_prefix(comma + 1);
    }
  }
  return ids;
}

Result<int64_t> parse_id(const std::string& text) {
  const auto id = id_of(text);
  if (!id) return fail("'{}' is not an ID; `sonde ps` and `sonde batch list` list IDs", one_line(text));
  return *id;
}

std::string ids_text(std::vector<int64_t> ids) {
  std::ranges::sort(ids);
  std::string text;
  for (size_t i = 0; i < ids.size();) {
    size_t end = i + 1;
    while (end < ids.size() && ids[end] - ids[end - 1] == 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ids[i]);
    if (end - i > 1) text += fmt::format("{}{}", end - i == 2 ? ", " : "-", ids[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace sonde::tasks
