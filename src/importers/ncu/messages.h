#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "importers/importer.h"

/// The messages inside an Nsight Compute report. Field numbers are inferred from the bytes of reports of 2020.3 to
/// 2025.2; NVIDIA publishes none. The functions throw protozero::exception where bytes are no message.
namespace sonde::ncu {

/// Compute capabilities, both ends included; 8.6 is 86.
struct CapabilityRange {
  uint64_t first = 0;
  uint64_t last = std::numeric_limits<uint64_t>::max();
};

/// A metric and the GPUs that it is for; empty: all.
struct FilteredMetric {
  NameId metric = kNone;
  std::vector<CapabilityRange> on;
};

/// What a section shows behind one label: another metric on other GPUs.
struct LabelledMetric {
  FilteredMetric usual;
  NameId label = kNone;
  std::vector<FilteredMetric> options;
  bool by_instruction = false;  ///< a column of the source page, in reports before 2024
};

/// The metrics of a section before a GPU is known.
struct SectionDefinition {
  std::vector<LabelledMetric> header;
  std::vector<LabelledMetric> others;
  std::vector<LabelledMetric> source;
};

/// One report while it is being read into a trace.
struct Report {
  const ImportRequest* request;
  Trace* trace;
  RankId rank = 0;
  int64_t process = kUnknown;  ///< of the block that is being read

  std::vector<NameId> metric_names{};                                    ///< by the number that results use
  boost::unordered_flat_map<std::string_view, uint32_t> sections{};      ///< row of Trace::profile_sections by message
  boost::unordered_flat_map<uint32_t, SectionDefinition> definitions{};  ///< by row of Trace::profile_sections
  boost::unordered_flat_map<int64_t, DeviceId> devices{};                ///< by the tool's device index
  std::vector<uint64_t> code_of_kernel{};  ///< reference of the device code, one for each kernel that was read

  [[nodiscard]] bool wants(Field field) const { return request->fields.has(field); }
  [[nodiscard]] NameId intern(std::string_view text) const { return text.empty() ? kNone : trace->names.intern(text); }
};

/// A number or a text; absent where the message is empty.
[[nodiscard]] MetricValue value_of(std::string_view message, StringPool& names);

/// What a block's header says besides its counts: names of metrics, session, process.
void read_block_header(std::string_view header, Report& report);

/// Appends one measured launch to Trace::kernel_profiles.
void read_result(std::string_view message, Report& report);

/// The row of Trace::profile_sections for a section; the same definition comes with every kernel.
[[nodiscard]] uint32_t section_of(std::string_view message, Report& report);

/// Gives the sections of each kernel the metrics that they have on its GPU, once devices are known. A section that
/// kernels of two compute capabilities share becomes two.
void choose_section_metrics(Report& report);

[[nodiscard]] RuleResult rule_of(std::string_view message, const Report& report);

/// The ranges of an NVTX state, outermost first.
[[nodiscard]] std::vector<OpenRange> ranges_of(std::string_view message, const Report& report);

/// The frames of a CPU call stack, innermost first.
[[nodiscard]] std::vector<HostFrame> call_stack_of(std::string_view message, const Report& report);

/// Device code: the functions of a cubin with their addresses and source lines, and which of them the kernels run.
class Code {
 public:
  void read(std::string_view message, Report& report);
  /// Gives each kernel its function, once all blocks are read.
  void assign(Report& report) const;

 private:
  /// Row of Trace::device_functions for (reference of the code, mangled name).
  boost::unordered_flat_map<std::pair<uint64_t, NameId>, uint32_t> functions_;
  boost::unordered_flat_map<uint64_t, uint32_t> objects_;  ///< how many there are of a reference
  [[nodiscard]] DeviceFunction& function(uint64_t reference, NameId mangled_name, Report& report);
  void read_cubin(uint64_t reference, std::string_view bytes, Report& report);
};

}  // namespace sonde::ncu
