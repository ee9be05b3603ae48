#include "trace/import_log.h"

#include <array>

namespace sonde {
namespace {

constexpr std::array kTexts = {
#define SONDE_ISSUE(id, what, meaning) IssueText{#id, what, meaning},
#include "trace/import_issues.inc"
#undef SONDE_ISSUE
};

}  // namespace

const IssueText& text_of(Issue issue) { return kTexts.at(static_cast<size_t>(issue)); }

void ImportLog::add(Issue issue, std::string_view detail, int64_t count) {
  if (count == 0) return;
  for (Entry& entry : entries_) {
    if (entry.issue == issue && entry.detail == detail) {
      entry.count += count;
      return;
    }
  }
  entries_.push_back({issue, std::string(detail), count});
}

}  // namespace sonde
