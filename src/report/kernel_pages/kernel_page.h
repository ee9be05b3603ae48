#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/display_unit.h"
#include "report/tables/table_format.h"
#include "trace/trace.h"

namespace sonde {

/// What `ncu --print-details` chooses: the metrics in a section's header, those in its body, or both.
enum class PrintDetails { header, body, all };
/// What `ncu --print-metric-instances` chooses: the parts of a metric are left out, or follow its value; with their
/// keys.
enum class PrintInstances { none, values, details };

/// Measured launches and how they are printed.
struct KernelPage {
  const Trace* trace = nullptr;
  std::vector<const KernelProfile*> kernels;
  std::vector<std::string> sections;  ///< ids; empty: all
  PrintUnits units = PrintUnits::automatic;
  PrintDetails details = PrintDetails::header;
  PrintInstances instances = PrintInstances::none;
  RenderOptions render;
};

/// A page that `sonde kernel --page NAME --format NAME` prints. One row of kernel_pages.inc each.
struct KernelPageFormat {
  std::string_view page;    ///< "details", "raw", "source", "session"
  std::string_view format;  ///< "text", "csv", "json"
  std::string_view description;
  void (*write)(const KernelPage& page, const Sink& sink);
};

[[nodiscard]] Result<const KernelPageFormat*> find_kernel_page(std::string_view page, std::string_view format);

/// One metric of a section, ready to be printed.
struct ShownMetric {
  std::string label;
  std::string unit;
  std::string value;  ///< with thousands separators; "not collected" or "not on CC 8.7" where the report has none
  bool collected = false;
  const Metric* metric = nullptr;  ///< nullptr where the report does not name it
};

/// The metrics of a section as `page` wants them, in ncu's order, which is that of the metrics' names.
[[nodiscard]] std::vector<ShownMetric> shown_metrics(const KernelPage& page, const KernelProfile& kernel,
                                                     const ProfileSection& section);
/// The base unit of a metric on the GPU of the page's first kernel.
[[nodiscard]] std::string base_unit_of(const KernelPage& page, std::string_view metric);
/// A metric's value and unit as text, its parts behind it where they are wanted. Absent values have no text.
[[nodiscard]] ShownMetric shown_metric(const KernelPage& page, const Metric& metric);

/// A metric's value without a unit and rounded nowhere, its parts behind it where they are wanted.
[[nodiscard]] std::string exact_text(const KernelPage& page, const Metric& metric);

/// " (a; b; c)" or " (key: a; key: b)", as ncu appends the parts of a metric; empty where `page` does not want them.
[[nodiscard]] std::string instances_text(const KernelPage& page, const Metric& metric);

/// The sections of a kernel that `page` wants, in the order in which ncu shows them.
[[nodiscard]] std::vector<const ProfileSection*> sections_of(const KernelPage& page, const KernelProfile& kernel);
/// Whether `page` wants a section.
[[nodiscard]] bool wants_section(const KernelPage& page, std::string_view id);
/// Sections that are known, wanted and not in the kernel's report.
[[nodiscard]] std::vector<std::string_view> missing_sections(const KernelPage& page, const KernelProfile& kernel);

/// The rule results of a section that say something.
[[nodiscard]] std::vector<const RuleResult*> advice_of(const KernelProfile& kernel, NameId section);
/// A text of the report without its markup: "@section:Id:Title@" becomes its title, "@url:Title:Address@" title and
/// address.
[[nodiscard]] std::string without_markup(std::string_view text);
/// "INF", "WRN", "ERR", "OPT": how ncu marks advice; empty for plain text.
[[nodiscard]] std::string_view mark_of(AdviceKind kind);
/// "global" or "local"; empty where the report does not say.
[[nodiscard]] std::string_view scope_name(EstimatedSpeedup::Scope scope);

/// A rule's estimate to four digits: "94.33", "0.8865".
[[nodiscard]] std::string speedup_text(const EstimatedSpeedup& speedup);

/// The name of the kernel's program without its path; empty where the profile does not have it.
[[nodiscard]] std::string_view process_name(const Trace& trace, const KernelProfile& kernel);
/// Stands for the host, whose name or address is private; ncu itself mostly has this one.
inline constexpr std::string_view kShownHost = "127.0.0.1";

/// "8.6"; empty where the device is not described.
[[nodiscard]] std::string capability_text(const Trace& trace, const KernelProfile& kernel);
/// "(1920, 1, 1)"
[[nodiscard]] std::string dim3_text(const Dim3& dim);

}  // namespace sonde
