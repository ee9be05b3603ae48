#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "report/page/report_document.h"
#include "report/tables/table_format.h"

namespace sonde {

/// A way to write a report.
struct ReportFormat {
  std::string_view name;
  std::string_view description;
  std::string_view ending;  ///< of files: ".html"
  bool shown_on_terminal;   ///< people can read it there
  ReportParts parts;        ///< what it holds
  /// Gives what it shows, in words for people.
  std::string (*write)(const std::string& title, ReportSources sources, const Sink& sink);
};

[[nodiscard]] std::span<const ReportFormat> report_formats();
[[nodiscard]] Result<const ReportFormat*> find_report_format(std::string_view name);
/// By the ending of a file's name; the first of all where it is not known.
[[nodiscard]] const ReportFormat& report_format_of_file(std::string_view path);

}  // namespace sonde
