#include "report/text/log_text.h"

#include <fmt/format.h>

namespace sonde {

std::string log_text(const ImportLog& log) {
  std::string text;
  for (const ImportLog::Entry& entry : log.entries()) {
    const IssueText& issue = text_of(entry.issue);
    const std::string count = entry.count == 1 ? "" : fmt::format("{} x ", entry.count);
    const std::string detail = entry.detail.empty() ? "" : fmt::format(" ({})", entry.detail);
    text += fmt::format("note: {}{}{}: {}\n", count, issue.what, detail, issue.meaning);
  }
  return text;
}

}  // namespace sonde
