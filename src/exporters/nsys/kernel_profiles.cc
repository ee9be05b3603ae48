#include <array>

#include "exporters/nsys/sections.h"

/// What a kernel profiler measured, in tables of Sonde's own beside Nsight's: docs/profiles/kernel_tables.md.
namespace sonde::nsys_export {
namespace {

/// A part of something, and the number of what it is a part of.
template <typename T>
struct Part {
  int64_t owner;
  const T* value;
};
template <typename T>
using Parts = std::vector<Part<T>>;

/// Whole numbers are unsigned: those from 2^63 on are written as negative ones.
Cell metric_value(const Context& c, const MetricValue& value) {
  if (const auto whole = value.exact()) return Cell(static_cast<int64_t>(*whole));
  if (const auto number = value.number()) return Cell(*number);
  return value.name() == kNone ? Cell() : Cell(c.trace.name(value.name()));
}

/// A whole number of a program or a GPU: as a metric's.
Cell word(uint64_t value) { return Cell(static_cast<int64_t>(value)); }

template <typename T>
Cell owner_of(const Context&, const Parts<T>& parts, size_t row) {
  return parts[row].owner;
}

template <typename T, auto member>
Cell name_of_part(const Context&, const Parts<T>& parts, size_t row) {
  return Cell(parts[row].value->*member);
}

template <typename T, auto member>
Cell word_of_part(const Context&, const Parts<T>& parts, size_t row) {
  return word(static_cast<uint64_t>(parts[row].value->*member));
}

template <typename T, auto member>
Cell value_of_part(const Context& c, const Parts<T>& parts, size_t row) {
  return metric_value(c, parts[row].value->*member);
}

using Profiles = std::vector<KernelProfile>;
using ProfileColumn = ColumnOf<Profiles>;

template <auto member>
Cell of_profile(const Context&, const Profiles& all, size_t row) {
  return Cell(all[row].*member);
}

template <auto member, size_t axis>
Cell of_shape(const Context&, const Profiles& all, size_t row) {
  return Cell(int64_t{(all[row].*member)[axis]});
}

constexpr std::array kProfileColumns = {
    ProfileColumn{"id", kIntegerKey, [](const Context&, const Profiles&, size_t row) { return word(row); }},
    ProfileColumn{"launchId", kIntegerSet, of_profile<&KernelProfile::id>},
    ProfileColumn{"fromTimeline", kIntegerSet,
                  [](const Context&, const Profiles& all, size_t row) { return word(all[row].from_timeline ? 1 : 0); }},
    ProfileColumn{"nameId", kInteger, of_profile<&KernelProfile::name>},
    ProfileColumn{"functionNameId", kInteger, of_profile<&KernelProfile::function_name>},
    ProfileColumn{"mangledNameId", kInteger, of_profile<&KernelProfile::mangled_name>},
    ProfileColumn{"gridX", kIntegerSet, of_shape<&KernelProfile::grid, 0>},
    ProfileColumn{"gridY", kIntegerSet, of_shape<&KernelProfile::grid, 1>},
    ProfileColumn{"gridZ", kIntegerSet, of_shape<&KernelProfile::grid, 2>},
    ProfileColumn{"blockX", kIntegerSet, of_shape<&KernelProfile::block, 0>},
    ProfileColumn{"blockY", kIntegerSet, of_shape<&KernelProfile::block, 1>},
    ProfileColumn{"blockZ", kIntegerSet, of_shape<&KernelProfile::block, 2>},
    ProfileColumn{"processId", kInteger, of_profile<&KernelProfile::process>},
    ProfileColumn{"threadId", kInteger, of_profile<&KernelProfile::thread>},
    ProfileColumn{"contextId", kInteger, of_profile<&KernelProfile::context>},
    ProfileColumn{"streamId", kInteger, of_profile<&KernelProfile::stream>},
    ProfileColumn{"utcS", kInteger, of_profile<&KernelProfile::created_utc_s>},
    ProfileColumn{"gpuId", kInteger,
                  [](const Context& c, const Profiles& all, size_t row) {
                    return all[row].device == kNone ? Cell() : Cell(c.gpu_ids[all[row].device]);
                  }},
    ProfileColumn{"functionId", kInteger, of_profile<&KernelProfile::function>},
};

constexpr std::string_view kAnyValue;  ///< a column without a type keeps numbers and texts as they are

constexpr std::array kMetricColumns = {
    ColumnOf<Parts<Metric>>{"id", kIntegerKey,
                            [](const Context&, const Parts<Metric>&, size_t row) { return word(row); }},
    ColumnOf<Parts<Metric>>{"profileId", kIntegerSet, owner_of<Metric>},
    ColumnOf<Parts<Metric>>{"nameId", kIntegerSet, name_of_part<Metric, &Metric::name>},
    ColumnOf<Parts<Metric>>{"value", kAnyValue, value_of_part<Metric, &Metric::value>},
};

constexpr std::array kInstanceColumns = {
    ColumnOf<Parts<MetricInstance>>{"metricId", kIntegerSet, owner_of<MetricInstance>},
    ColumnOf<Parts<MetricInstance>>{"instance", kAnyValue, value_of_part<MetricInstance, &MetricInstance::key>},
    ColumnOf<Parts<MetricInstance>>{"value", kAnyValue, value_of_part<MetricInstance, &MetricInstance::value>},
};

using Sections = std::vector<ProfileSection>;

template <auto member>
Cell of_section(const Context&, const Sections& all, size_t row) {
  return Cell(all[row].*member);
}

/// The sets' names with blanks between. Scratch text, see ColumnOf.
Cell sets_of_section(const Context& c, const Sections& all, size_t row) {
  static thread_local std::string text;
  text.clear();
  for (const NameId set : all[row].sets) {
    if (!text.empty()) text += ' ';
    text += c.trace.name(set);
  }
  return {text};
}

constexpr std::array kSectionColumns = {
    ColumnOf<Sections>{"id", kIntegerKey, [](const Context&, const Sections&, size_t row) { return word(row); }},
    ColumnOf<Sections>{"identifierId", kInteger, of_section<&ProfileSection::id>},
    ColumnOf<Sections>{"titleId", kInteger, of_section<&ProfileSection::title>},
    ColumnOf<Sections>{"place", kIntegerSet, of_section<&ProfileSection::order>},
    ColumnOf<Sections>{"descriptionId", kInteger, of_section<&ProfileSection::description>},
    ColumnOf<Sections>{"sets", kTextSet, sets_of_section},
};

constexpr std::array kSourceMetricColumns = {
    ColumnOf<Parts<SectionMetric>>{"sectionId", kIntegerSet, owner_of<SectionMetric>},
    ColumnOf<Parts<SectionMetric>>{"metricNameId", kInteger, name_of_part<SectionMetric, &SectionMetric::metric>},
    ColumnOf<Parts<SectionMetric>>{"labelId", kInteger, name_of_part<SectionMetric, &SectionMetric::label>},
};

constexpr std::array kClockColumns = {
    ColumnOf<Parts<bool>>{"profileId", kIntegerSet, owner_of<bool>},
    ColumnOf<Parts<bool>>{
        "fixed", kIntegerSet,
        [](const Context&, const Parts<bool>& all, size_t row) { return word(*all[row].value ? 1 : 0); }},
};

/// A metric of a section: one of its header, or of the rest.
struct PlacedMetric {
  bool header;
  NameId metric;
  NameId label;
};

constexpr std::array kSectionMetricColumns = {
    ColumnOf<Parts<PlacedMetric>>{"sectionId", kIntegerSet, owner_of<PlacedMetric>},
    ColumnOf<Parts<PlacedMetric>>{"inHeader", kIntegerSet, word_of_part<PlacedMetric, &PlacedMetric::header>},
    ColumnOf<Parts<PlacedMetric>>{"metricNameId", kInteger, name_of_part<PlacedMetric, &PlacedMetric::metric>},
    ColumnOf<Parts<PlacedMetric>>{"labelId", kInteger, name_of_part<PlacedMetric, &PlacedMetric::label>},
};

constexpr std::array kProfileSectionColumns = {
    ColumnOf<Parts<uint32_t>>{"profileId", kIntegerSet, owner_of<uint32_t>},
    ColumnOf<Parts<uint32_t>>{"sectionId", kIntegerSet, [](const Context&, const Parts<uint32_t>& parts, size_t row) {
                                return Cell(*parts[row].value);
                              }}};

constexpr std::array kRuleColumns = {
    ColumnOf<Parts<RuleResult>>{"id", kIntegerKey,
                                [](const Context&, const Parts<RuleResult>&, size_t row) { return word(row); }},
    ColumnOf<Parts<RuleResult>>{"profileId", kIntegerSet, owner_of<RuleResult>},
    ColumnOf<Parts<RuleResult>>{"identifierId", kInteger, name_of_part<RuleResult, &RuleResult::id>},
    ColumnOf<Parts<RuleResult>>{"nameId", kInteger, name_of_part<RuleResult, &RuleResult::name>},
    ColumnOf<Parts<RuleResult>>{"sectionNameId", kInteger, name_of_part<RuleResult, &RuleResult::section>},
};

constexpr std::array kAdviceColumns = {
    ColumnOf<Parts<AdviceText>>{"ruleId", kIntegerSet, owner_of<AdviceText>},
    ColumnOf<Parts<AdviceText>>{"kind", kIntegerSet, word_of_part<AdviceText, &AdviceText::kind>},
    ColumnOf<Parts<AdviceText>>{"titleId", kInteger, name_of_part<AdviceText, &AdviceText::title>},
    ColumnOf<Parts<AdviceText>>{"textId", kInteger, name_of_part<AdviceText, &AdviceText::text>},
};

constexpr std::array kFocusColumns = {
    ColumnOf<Parts<FocusMetric>>{"ruleId", kIntegerSet, owner_of<FocusMetric>},
    ColumnOf<Parts<FocusMetric>>{"metricNameId", kInteger, name_of_part<FocusMetric, &FocusMetric::metric>},
    ColumnOf<Parts<FocusMetric>>{"value", kReal, name_of_part<FocusMetric, &FocusMetric::value>},
    ColumnOf<Parts<FocusMetric>>{"severity", kIntegerSet, name_of_part<FocusMetric, &FocusMetric::severity>},
    ColumnOf<Parts<FocusMetric>>{"textId", kInteger, name_of_part<FocusMetric, &FocusMetric::text>},
};

constexpr std::array kSpeedupColumns = {
    ColumnOf<Parts<EstimatedSpeedup>>{"ruleId", kIntegerSet, owner_of<EstimatedSpeedup>},
    ColumnOf<Parts<EstimatedSpeedup>>{"scope", kIntegerSet, word_of_part<EstimatedSpeedup, &EstimatedSpeedup::scope>},
    ColumnOf<Parts<EstimatedSpeedup>>{"percent", kReal, name_of_part<EstimatedSpeedup, &EstimatedSpeedup::percent>},
};

constexpr std::array kMarkerColumns = {
    ColumnOf<Parts<SourceMarker>>{"ruleId", kIntegerSet, owner_of<SourceMarker>},
    ColumnOf<Parts<SourceMarker>>{"address", kIntegerSet, word_of_part<SourceMarker, &SourceMarker::address>},
    ColumnOf<Parts<SourceMarker>>{"textId", kInteger, name_of_part<SourceMarker, &SourceMarker::text>},
    ColumnOf<Parts<SourceMarker>>{"kind", kIntegerSet, name_of_part<SourceMarker, &SourceMarker::kind>},
};

template <auto member>
Cell optional_of_range(const Context&, const Parts<OpenRange>& parts, size_t row) {
  const std::optional<uint32_t> value = parts[row].value->*member;
  return value ? Cell(int64_t{*value}) : Cell();
}

constexpr std::array kMeasuredRangeColumns = {
    ColumnOf<Parts<OpenRange>>{"profileId", kIntegerSet, owner_of<OpenRange>},
    ColumnOf<Parts<OpenRange>>{"domainNameId", kInteger, name_of_part<OpenRange, &OpenRange::domain>},
    ColumnOf<Parts<OpenRange>>{"nameId", kInteger, name_of_part<OpenRange, &OpenRange::name>},
    ColumnOf<Parts<OpenRange>>{"threadId", kIntegerSet, word_of_part<OpenRange, &OpenRange::thread>},
    ColumnOf<Parts<OpenRange>>{"style", kIntegerSet, word_of_part<OpenRange, &OpenRange::style>},
    ColumnOf<Parts<OpenRange>>{"category", kInteger, optional_of_range<&OpenRange::category>},
    ColumnOf<Parts<OpenRange>>{"color", kInteger, optional_of_range<&OpenRange::color>},
    ColumnOf<Parts<OpenRange>>{"payloadKind", kIntegerSet, word_of_part<OpenRange, &OpenRange::payload_kind>},
    ColumnOf<Parts<OpenRange>>{"payload", kInteger, name_of_part<OpenRange, &OpenRange::payload>},
    ColumnOf<Parts<OpenRange>>{"messageId", kInteger, name_of_part<OpenRange, &OpenRange::message>},
};

constexpr std::array kFrameColumns = {
    ColumnOf<Parts<HostFrame>>{"profileId", kIntegerSet, owner_of<HostFrame>},
    ColumnOf<Parts<HostFrame>>{"moduleId", kInteger, name_of_part<HostFrame, &HostFrame::module>},
    ColumnOf<Parts<HostFrame>>{"functionNameId", kInteger, name_of_part<HostFrame, &HostFrame::function>},
    ColumnOf<Parts<HostFrame>>{"fileId", kInteger, name_of_part<HostFrame, &HostFrame::file>},
    ColumnOf<Parts<HostFrame>>{"line", kIntegerSet, word_of_part<HostFrame, &HostFrame::line>},
    ColumnOf<Parts<HostFrame>>{"address", kIntegerSet, word_of_part<HostFrame, &HostFrame::address>},
};

using Functions = std::vector<DeviceFunction>;
constexpr std::array kFunctionColumns = {
    ColumnOf<Functions>{"id", kIntegerKey, [](const Context&, const Functions&, size_t row) { return word(row); }},
    ColumnOf<Functions>{"mangledNameId", kInteger,
                        [](const Context&, const Functions& all, size_t row) { return Cell(all[row].mangled_name); }},
    ColumnOf<Functions>{"address", kIntegerSet,
                        [](const Context&, const Functions& all, size_t row) { return word(all[row].address); }},
    ColumnOf<Functions>{"codeBytes", kIntegerSet,
                        [](const Context&, const Functions& all, size_t row) { return word(all[row].code_bytes); }},
};

using Line = DeviceFunction::Line;
constexpr std::array kLineColumns = {
    ColumnOf<Parts<Line>>{"functionId", kIntegerSet, owner_of<Line>},
    ColumnOf<Parts<Line>>{"offset", kIntegerSet, word_of_part<Line, &Line::offset>},
    ColumnOf<Parts<Line>>{"fileId", kInteger, name_of_part<Line, &Line::file>},
    ColumnOf<Parts<Line>>{"line", kIntegerSet, word_of_part<Line, &Line::line>},
};

using Attributes = std::vector<DeviceAttribute>;
constexpr std::array kAttributeColumns = {
    ColumnOf<Attributes>{"gpuId", kInteger,
                         [](const Context& c, const Attributes& all, size_t row) {
                           return all[row].device == kNone ? Cell() : Cell(c.gpu_ids[all[row].device]);
                         }},
    ColumnOf<Attributes>{"nameId", kInteger,
                         [](const Context&, const Attributes& all, size_t row) { return Cell(all[row].name); }},
    ColumnOf<Attributes>{
        "value", kAnyValue,
        [](const Context& c, const Attributes& all, size_t row) { return metric_value(c, all[row].value); }},
};

/// The parts of all owners, one owner's behind the other's.
template <typename T, typename Owners, typename PartsOf>
Parts<T> parts_of(const Owners& owners, const PartsOf& of) {
  Parts<T> parts;
  int64_t number = 0;
  for (const auto& owner : owners) {
    for (const T& part : of(owner)) parts.push_back({number, &part});
    ++number;
  }
  return parts;
}

template <typename T, size_t columns>
[[nodiscard]] Status write_parts(Output& out, const Context& c, const char* table,
                                 const std::array<ColumnOf<Parts<T>>, columns>& of, const Parts<T>& parts) {
  return write_rows<Parts<T>>(out, table, of, c, parts, parts.size());
}

[[nodiscard]] Status write_metrics(Output& out, const Context& c) {
  const auto metrics = parts_of<Metric>(c.trace.kernel_profiles, [](const auto& k) -> auto& { return k.metrics; });
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_METRIC", kMetricColumns, metrics));
  Parts<MetricInstance> instances;
  for (size_t row = 0; row < metrics.size(); ++row) {
    for (const MetricInstance& instance : metrics[row].value->instances) {
      instances.push_back({static_cast<int64_t>(row), &instance});
    }
  }
  return write_parts(out, c, "SONDE_KERNEL_METRIC_INSTANCE", kInstanceColumns, instances);
}

/// Of the launches whose report says it.
[[nodiscard]] Status write_clocks(Output& out, const Context& c) {
  Parts<bool> fixed;
  for (size_t row = 0; row < c.trace.kernel_profiles.size(); ++row) {
    const auto& clocks = c.trace.kernel_profiles[row].fixed_clocks;
    if (clocks) fixed.push_back({static_cast<int64_t>(row), &*clocks});
  }
  return write_parts(out, c, "SONDE_KERNEL_CLOCKS", kClockColumns, fixed);
}

[[nodiscard]] Status write_profile_sections(Output& out, const Context& c) {
  const Sections& sections = c.trace.profile_sections;
  SONDE_TRY(write_rows<Sections>(out, "SONDE_KERNEL_SECTION", kSectionColumns, c, sections, sections.size()));
  std::vector<std::vector<PlacedMetric>> placed;
  for (const ProfileSection& section : sections) {
    auto& all = placed.emplace_back();
    for (const SectionMetric& m : section.header) all.push_back({true, m.metric, m.label});
    for (const SectionMetric& m : section.others) all.push_back({false, m.metric, m.label});
  }
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_SECTION_METRIC", kSectionMetricColumns,
                        parts_of<PlacedMetric>(placed, [](const auto& all) -> auto& { return all; })));
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_SOURCE_METRIC", kSourceMetricColumns,
                        parts_of<SectionMetric>(sections, [](const auto& s) -> auto& { return s.source; })));
  return write_parts(out, c, "SONDE_KERNEL_PROFILE_SECTION", kProfileSectionColumns,
                     parts_of<uint32_t>(c.trace.kernel_profiles, [](const auto& k) -> auto& { return k.sections; }));
}

[[nodiscard]] Status write_advice(Output& out, const Context& c) {
  const auto results = parts_of<RuleResult>(c.trace.kernel_profiles, [](const auto& k) -> auto& { return k.rules; });
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_RULE", kRuleColumns, results));
  const auto of = [&]<typename T>(std::vector<T> RuleResult::* member) {
    Parts<T> parts;
    for (size_t row = 0; row < results.size(); ++row) {
      for (const T& part : results[row].value->*member) parts.push_back({static_cast<int64_t>(row), &part});
    }
    return parts;
  };
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_RULE_TEXT", kAdviceColumns, of(&RuleResult::texts)));
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_RULE_FOCUS", kFocusColumns, of(&RuleResult::focus)));
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_RULE_SPEEDUP", kSpeedupColumns, of(&RuleResult::speedups)));
  return write_parts(out, c, "SONDE_KERNEL_RULE_MARKER", kMarkerColumns, of(&RuleResult::markers));
}

[[nodiscard]] Status write_device_code(Output& out, const Context& c) {
  const Functions& functions = c.trace.device_functions;
  SONDE_TRY(write_rows<Functions>(out, "SONDE_DEVICE_FUNCTION", kFunctionColumns, c, functions, functions.size()));
  SONDE_TRY(write_parts(out, c, "SONDE_DEVICE_LINE", kLineColumns,
                        parts_of<Line>(functions, [](const auto& f) -> auto& { return f.lines; })));
  const Attributes& attributes = c.trace.device_attributes;
  return write_rows<Attributes>(out, "SONDE_DEVICE_ATTRIBUTE", kAttributeColumns, c, attributes, attributes.size());
}

}  // namespace

Status write_kernel_profiles(Output& out, const Context& c) {
  const Profiles& profiles = c.trace.kernel_profiles;
  SONDE_TRY(write_rows<Profiles>(out, "SONDE_KERNEL_PROFILE", kProfileColumns, c, profiles, profiles.size()));
  SONDE_TRY(write_clocks(out, c));
  SONDE_TRY(write_metrics(out, c));
  SONDE_TRY(write_profile_sections(out, c));
  SONDE_TRY(write_advice(out, c));
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_RANGE", kMeasuredRangeColumns,
                        parts_of<OpenRange>(profiles, [](const auto& k) -> auto& { return k.ranges; })));
  SONDE_TRY(write_parts(out, c, "SONDE_KERNEL_FRAME", kFrameColumns,
                        parts_of<HostFrame>(profiles, [](const auto& k) -> auto& { return k.call_stack; })));
  return write_device_code(out, c);
}

}  // namespace sonde::nsys_export
