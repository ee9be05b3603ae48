#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/events.h"
#include "trace/ids.h"

/// What a kernel profiler (Nsight Compute) measured of single launches: counters, and what the tool said of them.
namespace sonde {

/// One value as a report stores it, in base units (ns, bytes, Hz, percent, bytes per second).
class MetricValue {
 public:
  MetricValue() = default;
  static MetricValue real(double value) { return {Kind::real, std::bit_cast<uint64_t>(value)}; }
  static MetricValue integer(uint64_t value) { return {Kind::integer, value}; }
  static MetricValue text(NameId value) { return {Kind::text, value}; }

  [[nodiscard]] bool is_absent() const { return kind_ == Kind::absent; }
  [[nodiscard]] bool is_integer() const { return kind_ == Kind::integer; }
  /// The number, where it is one.
  [[nodiscard]] std::optional<double> number() const;
  /// The exact integer, where it was stored as one.
  [[nodiscard]] std::optional<uint64_t> exact() const;
  /// The text, else kNone.
  [[nodiscard]] NameId name() const { return kind_ == Kind::text ? static_cast<NameId>(bits_) : kNone; }
  bool operator==(const MetricValue&) const = default;

 private:
  enum class Kind : uint8_t { absent, real, integer, text };
  MetricValue(Kind kind, uint64_t bits) : bits_(bits), kind_(kind) {}
  uint64_t bits_ = 0;
  Kind kind_ = Kind::absent;
};

/// A part of a metric: by instruction address, opcode, block size, pass, time; what `key` is depends on the metric.
struct MetricInstance {
  MetricValue key;
  MetricValue value;
};

struct Metric {
  NameId name = kNone;
  MetricValue value;  ///< absent: asked for and not measured
  std::vector<MetricInstance> instances;
};

/// One label of a section and the metric behind it.
struct SectionMetric {
  NameId metric = kNone;
  NameId label = kNone;
};

/// A page of metrics as the report defines it ("GPU Speed Of Light Throughput").
struct ProfileSection {
  NameId id = kNone;     ///< "SpeedOfLight"
  NameId title = kNone;  ///< "GPU Speed Of Light Throughput"
  int64_t order = 0;     ///< the tool shows sections by it
  NameId description = kNone;
  std::vector<SectionMetric> header;  ///< shown first, by label
  std::vector<SectionMetric> others;  ///< the section's further metrics
  std::vector<SectionMetric> source;  ///< columns that it adds to each instruction
  std::vector<NameId> sets;           ///< "basic", "detailed", "full"
};

enum class AdviceKind : uint8_t { none = 0, ok = 1, warning = 2, error = 3, optimization = 4 };

struct AdviceText {
  AdviceKind kind = AdviceKind::none;
  NameId title = kNone;
  NameId text = kNone;  ///< with the tool's markup: @section:Id:Title@, @url:Title:Address@
};

/// A metric that a rule points at, with the value that it saw.
struct FocusMetric {
  NameId metric = kNone;
  double value = 0;
  int64_t severity = 0;
  NameId text = kNone;  ///< "7.571 < 80.000"
};

/// What a fix can save at most, as the tool estimates it. A local estimate holds for one aspect of the kernel and says
/// nothing of its duration; only global ones do. They are never added.
struct EstimatedSpeedup {
  enum class Scope : uint8_t { unknown = 0, local = 1, global = 2 };
  Scope scope = Scope::unknown;
  double percent = 0;
};

/// An instruction that a rule points at.
struct SourceMarker {
  uint64_t address = 0;
  NameId text = kNone;
  int64_t kind = 0;
};

/// What a rule of the tool said of one kernel. A rule that found nothing has no texts.
struct RuleResult {
  NameId id = kNone;       ///< "SOLBottleneck"
  NameId name = kNone;     ///< "Bottleneck"
  NameId section = kNone;  ///< id of the section that it belongs to
  std::vector<AdviceText> texts;
  std::vector<FocusMetric> focus;
  std::vector<EstimatedSpeedup> speedups;
  std::vector<SourceMarker> markers;
};

/// A range that was open at the launch.
struct OpenRange {
  NameId domain = kNone;  ///< kNone: the default domain
  NameId name = kNone;
  uint64_t thread = 0;  ///< the system's thread id
  RangeStyle style = RangeStyle::push_pop;
  std::optional<uint32_t> category;  ///< the program's own number
  std::optional<uint32_t> color;     ///< alpha, red, green, blue, from the highest byte on
  PayloadKind payload_kind = PayloadKind::none;
  int64_t payload = 0;     ///< bit pattern
  NameId message = kNone;  ///< as the range's attributes have it: mostly its name
};

struct HostFrame {
  NameId module = kNone;
  NameId function = kNone;
  NameId file = kNone;
  uint64_t line = 0;  ///< 0 where it is not known
  uint64_t address = 0;
};

/// A function of device code and the source lines of its instructions.
struct DeviceFunction {
  struct Line {
    uint64_t offset = 0;  ///< bytes from the function's first instruction, where this line begins
    NameId file = kNone;
    uint32_t line = 0;
  };
  NameId mangled_name = kNone;
  uint64_t address = 0;     ///< of its first instruction, as keys of instances have it: 0 where those are offsets
  uint64_t code_bytes = 0;  ///< 0 where the code is not in the report
  std::vector<Line> lines;  ///< sorted by offset; empty without -lineinfo
  uint32_t copies = 0;      ///< code objects of the report that describe it; ncu prints its source once for each
};

/// What the driver says of a GPU, by the tool's name for it ("device__attribute_multiprocessor_count").
struct DeviceAttribute {
  DeviceId device = kNone;
  NameId name = kNone;
  MetricValue value;
};

/// One measured launch.
struct KernelProfile {
  RankId rank = 0;
  int64_t id = 0;              ///< its number in the report, from 0, as the tool prints it
  bool from_timeline = false;  ///< made of launches on a timeline: nothing was counted, occupancy is by formula
  NameId name = kNone;
  NameId function_name = kNone;
  NameId mangled_name = kNone;
  Dim3 grid{};                 ///< blocks
  Dim3 block{};                ///< threads
  int64_t process = kUnknown;  ///< the system's process id
  int64_t thread = kUnknown;   ///< the system's thread id
  int64_t context = kUnknown;
  int64_t stream = kUnknown;
  int64_t created_utc_s = kUnknown;
  DeviceId device = kNone;
  std::optional<bool> fixed_clocks;   ///< whether the tool held the GPU's clocks; absent: it does not say
  std::vector<Metric> metrics;        ///< sorted by name id; see find_metric()
  std::vector<uint32_t> sections;     ///< rows of Trace::profile_sections, in the order in which they are shown
  std::vector<RuleResult> rules;      ///< in the order of the report
  std::vector<OpenRange> ranges;      ///< outermost first
  std::vector<HostFrame> call_stack;  ///< innermost first
  uint32_t function = kNone;          ///< row of Trace::device_functions; kNone too where its address is not known
};

struct Trace;

/// The metric of that name, nullptr where the report has none: it was not collected.
[[nodiscard]] const Metric* find_metric(const Trace& trace, const KernelProfile& kernel, std::string_view name);
/// Its number; absent where the metric was not collected or has no number.
[[nodiscard]] std::optional<double> metric_number(const Trace& trace, const KernelProfile& kernel,
                                                  std::string_view name);

}  // namespace sonde
