#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// What can be wrong with a file that is read all the same. The rows are in import_issues.inc.
enum class Issue {
#define SONDE_ISSUE(id, what, meaning) id,
#include "trace/import_issues.inc"
#undef SONDE_ISSUE
  count_
};

struct IssueText {
  std::string_view id;
  std::string_view what;     ///< what was found
  std::string_view meaning;  ///< what it means for the conclusions
};

[[nodiscard]] const IssueText& text_of(Issue issue);

/// Bad input is counted, not fatal, and shown in every report.
class ImportLog {
 public:
  struct Entry {
    Issue issue;
    std::string detail;  ///< which table, column or category; may be empty
    int64_t count;
  };

  void add(Issue issue, std::string_view detail = {}, int64_t count = 1);
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace sonde
