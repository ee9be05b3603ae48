#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "importers/nsys/tables.h"

/// Tables of Sonde's own, in which a recording or a converted report has what a kernel profiler measured
/// (docs/profiles/kernel_tables.md). Texts stand as ids of StringIds until the file's names are resolved.
namespace sonde::nsys {
namespace {

/// Calls `f(row)` with each row of a table, or of a part of it, in the order of the file. A file without the table has
/// no rows.
template <typename F>
void each_row(NsysFile& file, std::string_view table, std::string_view columns, F&& f) {
  if (!file.has_table(table.substr(0, table.find(' ')))) return;
  auto statement = file.database().prepare(fmt::format("SELECT {} FROM {} ORDER BY rowid", columns, table));
  const auto damaged = [&](const Error& error) {
    file.trace().log.add(Issue::damaged_table, fmt::format("{}: {}", table, error.message));
  };
  if (!statement) return damaged(statement.error());
  for (;;) {
    const auto next = statement->next();
    if (!next) return damaged(next.error());
    if (!*next) return;
    f(*statement);
  }
}

MetricValue value_at(const Statement& row, int column, StringPool& names) {
  if (row.is_null(column)) return {};
  if (row.is_text(column)) return MetricValue::text(names.intern(row.text(column)));
  if (row.is_integer(column)) return MetricValue::integer(static_cast<uint64_t>(row.integer(column)));
  return MetricValue::real(row.real(column));
}

/// kNone for NULL and for what is no id of the string table.
uint32_t id_at(const Statement& row, int column) {
  const int64_t id = row.integer(column);
  return row.is_null(column) || id < 0 || id >= int64_t{kInlineText} ? kNone : static_cast<uint32_t>(id);
}

int64_t integer_at(const Statement& row, int column) { return row.is_null(column) ? kUnknown : row.integer(column); }

uint64_t word_at(const Statement& row, int column) { return static_cast<uint64_t>(row.integer(column)); }

Dim3 shape_at(const Statement& row, int column) {
  const auto axis = [&](int offset) { return static_cast<uint32_t>(row.integer(column + offset)); };
  return {axis(0), axis(1), axis(2)};
}

/// A number of an enumeration that ends with `last`; its first value for any other.
template <typename Enum>
Enum kind_at(const Statement& row, int column, Enum last) {
  const int64_t kind = row.integer(column);
  return kind < 0 || kind > static_cast<int64_t>(last) ? Enum{} : static_cast<Enum>(kind);
}

std::optional<uint32_t> attribute_at(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(static_cast<uint32_t>(row.integer(column)));
}

class ProfilesReader {
 public:
  explicit ProfilesReader(NsysFile& file)
      : file_(file),
        trace_(file.trace()),
        first_profile_(trace_.kernel_profiles.size()),
        first_section_(trace_.profile_sections.size()),
        first_function_(trace_.device_functions.size()),
        first_attribute_(trace_.device_attributes.size()) {
    for (DeviceId d = 0; d < trace_.devices.size(); ++d) {
      if (trace_.devices[d].rank == file.rank()) device_of_.try_emplace(trace_.devices[d].id, d);
    }
  }

  void read() {
    read_profiles();
    if (trace_.kernel_profiles.size() == first_profile_) return;
    read_clocks();
    read_metrics();
    read_sections();
    read_rules();
    read_ranges();
    read_frames();
    read_device_code();
    name_all();
  }

 private:
  /// A row's profile, nullptr where the file has none of that number.
  KernelProfile* profile(const Statement& row, int column = 0) {
    return at(trace_.kernel_profiles, first_profile_, row.integer(column));
  }
  template <typename T>
  static T* at(std::vector<T>& all, size_t first, int64_t number) {
    return number < 0 || static_cast<uint64_t>(number) >= all.size() - first
               ? nullptr
               : &all[first + static_cast<size_t>(number)];
  }
  DeviceId device(const Statement& row, int column) const {
    const auto found = row.is_null(column) ? device_of_.end() : device_of_.find(row.integer(column));
    return found == device_of_.end() ? kNone : found->second;
  }

  void read_profiles() {
    each_row(file_, "SONDE_KERNEL_PROFILE",
             "launchId, fromTimeline, nameId, functionNameId, mangledNameId, gridX, gridY, gridZ, blockX, blockY, "
             "blockZ, processId, threadId, contextId, streamId, utcS, gpuId, functionId",
             [&](const Statement& row) {
               KernelProfile& k = trace_.kernel_profiles.emplace_back();
               int column = 0;
               k.rank = file_.rank();
               k.id = row.integer(column++);
               k.from_timeline = row.integer(column++) != 0;
               for (NameId* name : {&k.name, &k.function_name, &k.mangled_name}) *name = id_at(row, column++);
               k.grid = shape_at(row, column);
               k.block = shape_at(row, column += 3);
               column += 3;
               for (int64_t* id : {&k.process, &k.thread, &k.context, &k.stream, &k.created_utc_s}) {
                 *id = integer_at(row, column++);
               }
               k.device = device(row, column++);
               const uint32_t function = id_at(row, column);
               k.function = function == kNone ? kNone : function + static_cast<uint32_t>(first_function_);
             });
  }

  void read_metrics() {
    std::vector<std::pair<KernelProfile*, size_t>> places;
    each_row(file_, "SONDE_KERNEL_METRIC", "profileId, nameId, value", [&](const Statement& row) {
      KernelProfile* const k = profile(row);
      places.emplace_back(k, k == nullptr ? 0 : k->metrics.size());
      if (k != nullptr) k->metrics.push_back({id_at(row, 1), value_at(row, 2, trace_.names), {}});
    });
    if (!file_.wants(Field::metric_instances)) return;
    each_row(file_, "SONDE_KERNEL_METRIC_INSTANCE", "metricId, instance, value", [&](const Statement& row) {
      const auto* const place = at(places, 0, row.integer(0));
      if (place == nullptr || place->first == nullptr) return;
      place->first->metrics[place->second].instances.push_back(
          {value_at(row, 1, trace_.names), value_at(row, 2, trace_.names)});
    });
  }

  void read_sections() {
    each_row(file_, "SONDE_KERNEL_SECTION", "identifierId, titleId, place, descriptionId, sets",
             [&](const Statement& row) {
               ProfileSection& s = trace_.profile_sections.emplace_back();
               s.id = id_at(row, 0);
               s.title = id_at(row, 1);
               s.order = row.integer(2);
               s.description = id_at(row, 3);
               for (const auto set : std::views::split(row.text(4), ' ')) {
                 if (!set.empty()) s.sets.push_back(trace_.names.intern(std::string_view(set)));
               }
             });
    each_row(file_, "SONDE_KERNEL_SECTION_METRIC", "sectionId, inHeader, metricNameId, labelId",
             [&](const Statement& row) {
               ProfileSection* const s = at(trace_.profile_sections, first_section_, row.integer(0));
               if (s == nullptr) return;
               (row.integer(1) != 0 ? s->header : s->others).push_back({id_at(row, 2), id_at(row, 3)});
             });
    each_row(file_, "SONDE_KERNEL_SOURCE_METRIC", "sectionId, metricNameId, labelId", [&](const Statement& row) {
      ProfileSection* const s = at(trace_.profile_sections, first_section_, row.integer(0));
      if (s != nullptr) s->source.push_back({id_at(row, 1), id_at(row, 2)});
    });
    each_row(file_, "SONDE_KERNEL_PROFILE_SECTION", "profileId, sectionId", [&](const Statement& row) {
      KernelProfile* const k = profile(row);
      const ProfileSection* const s = at(trace_.profile_sections, first_section_, row.integer(1));
      if (k != nullptr && s != nullptr) {
        k->sections.push_back(static_cast<uint32_t>(s - trace_.profile_sections.data()));
      }
    });
  }

  void read_rules() {
    std::vector<std::pair<KernelProfile*, size_t>> places;
    each_row(file_, "SONDE_KERNEL_RULE", "profileId, identifierId, nameId, sectionNameId", [&](const Statement& row) {
      KernelProfile* const k = profile(row);
      places.emplace_back(k, k == nullptr ? 0 : k->rules.size());
      if (k == nullptr) return;
      RuleResult& rule = k->rules.emplace_back();
      rule.id = id_at(row, 1);
      rule.name = id_at(row, 2);
      rule.section = id_at(row, 3);
    });
    const auto each_of_rule = [&](std::string_view table, std::string_view columns, const auto& add) {
      each_row(file_, table, columns, [&](const Statement& row) {
        const auto* const place = at(places, 0, row.integer(0));
        if (place != nullptr && place->first != nullptr) add(row, place->first->rules[place->second]);
      });
    };
    each_of_rule("SONDE_KERNEL_RULE_TEXT", "ruleId, kind, titleId, textId", [](const Statement& row, RuleResult& rule) {
      rule.texts.push_back({kind_at(row, 1, AdviceKind::optimization), id_at(row, 2), id_at(row, 3)});
    });
    each_of_rule("SONDE_KERNEL_RULE_FOCUS", "ruleId, metricNameId, value, severity, textId",
                 [](const Statement& row, RuleResult& rule) {
                   rule.focus.push_back({id_at(row, 1), row.real(2), row.integer(3), id_at(row, 4)});
                 });
    each_of_rule("SONDE_KERNEL_RULE_SPEEDUP", "ruleId, scope, percent", [](const Statement& row, RuleResult& rule) {
      rule.speedups.push_back({kind_at(row, 1, EstimatedSpeedup::Scope::global), row.real(2)});
    });
    each_of_rule("SONDE_KERNEL_RULE_MARKER", "ruleId, address, textId, kind",
                 [](const Statement& row, RuleResult& rule) {
                   rule.markers.push_back({word_at(row, 1), id_at(row, 2), row.integer(3)});
                 });
  }

  void read_ranges() {
    each_row(file_, "SONDE_KERNEL_RANGE",
             "profileId, domainNameId, nameId, threadId, style, category, color, payloadKind, payload, messageId",
             [&](const Statement& row) {
               KernelProfile* const k = profile(row);
               if (k == nullptr) return;
               k->ranges.push_back({.domain = id_at(row, 1),
                                    .name = id_at(row, 2),
                                    .thread = word_at(row, 3),
                                    .style = kind_at(row, 4, RangeStyle::start_end),
                                    .category = attribute_at(row, 5),
                                    .color = attribute_at(row, 6),
                                    .payload_kind = kind_at(row, 7, PayloadKind::real32),
                                    .payload = row.integer(8),
                                    .message = id_at(row, 9)});
             });
  }

  void read_frames() {
    each_row(file_, "SONDE_KERNEL_FRAME", "profileId, moduleId, functionNameId, fileId, line, address",
             [&](const Statement& row) {
               KernelProfile* const k = profile(row);
               if (k == nullptr) return;
               k->call_stack.push_back({id_at(row, 1), id_at(row, 2), id_at(row, 3), word_at(row, 4), word_at(row, 5)});
             });
  }

  void read_device_code() {
    each_row(file_, "SONDE_DEVICE_FUNCTION", "mangledNameId, address, codeBytes", [&](const Statement& row) {
      trace_.device_functions.push_back({id_at(row, 0), word_at(row, 1), word_at(row, 2), {}});
    });
    if (file_.wants(Field::source_lines)) {
      each_row(file_, "SONDE_DEVICE_LINE", "functionId, offset, fileId, line", [&](const Statement& row) {
        DeviceFunction* const function = at(trace_.device_functions, first_function_, row.integer(0));
        if (function == nullptr) return;
        function->lines.push_back({word_at(row, 1), id_at(row, 2), static_cast<uint32_t>(row.integer(3))});
      });
    }
    each_row(file_, "SONDE_DEVICE_ATTRIBUTE", "gpuId, nameId, value", [&](const Statement& row) {
      trace_.device_attributes.push_back({device(row, 0), id_at(row, 1), value_at(row, 2, trace_.names)});
    });
  }

  void name(std::initializer_list<NameId*> slots) {
    for (NameId* const slot : slots) file_.name_later(*slot);
  }

  void read_clocks() {
    each_row(file_, "SONDE_KERNEL_CLOCKS", "profileId, fixed", [&](const Statement& row) {
      KernelProfile* const k = profile(row);
      if (k != nullptr) k->fixed_clocks = row.integer(1) != 0;
    });
  }

  void name_profile(KernelProfile& k) {
    name({&k.name, &k.function_name, &k.mangled_name});
    if (k.function != kNone && k.function >= trace_.device_functions.size()) k.function = kNone;
    for (Metric& m : k.metrics) name({&m.name});
    for (OpenRange& r : k.ranges) name({&r.domain, &r.name, &r.message});
    for (HostFrame& f : k.call_stack) name({&f.module, &f.function, &f.file});
    for (RuleResult& rule : k.rules) {
      name({&rule.id, &rule.name, &rule.section});
      for (AdviceText& t : rule.texts) name({&t.title, &t.text});
      for (FocusMetric& f : rule.focus) name({&f.metric, &f.text});
      for (SourceMarker& m : rule.markers) name({&m.text});
    }
  }

  /// When nothing grows any more: what is named stays where it is.
  void name_all() {
    for (size_t i = first_profile_; i < trace_.kernel_profiles.size(); ++i) name_profile(trace_.kernel_profiles[i]);
    for (size_t i = first_section_; i < trace_.profile_sections.size(); ++i) {
      ProfileSection& s = trace_.profile_sections[i];
      name({&s.id, &s.title, &s.description});
      for (auto* metrics : {&s.header, &s.others, &s.source}) {
        for (SectionMetric& m : *metrics) name({&m.metric, &m.label});
      }
    }
    for (size_t i = first_function_; i < trace_.device_functions.size(); ++i) {
      DeviceFunction& f = trace_.device_functions[i];
      name({&f.mangled_name});
      for (DeviceFunction::Line& line : f.lines) name({&line.file});
    }
    for (size_t i = first_attribute_; i < trace_.device_attributes.size(); ++i) {
      name({&trace_.device_attributes[i].name});
    }
  }

  NsysFile& file_;
  Trace& trace_;
  size_t first_profile_;
  size_t first_section_;
  size_t first_function_;
  size_t first_attribute_;
  std::map<int64_t, DeviceId> device_of_;
};

}  // namespace

void read_measured_processes(NsysFile& file) {
  if (!file.wants(Field::kernel_profiles) || !file.has_table("SONDE_KERNEL_PROFILE")) return;
  each_row(file, "PROCESSES WHERE pid IN (SELECT processId FROM SONDE_KERNEL_PROFILE)", "globalPid",
           [&](const Statement& row) { static_cast<void>(file.process(word_at(row, 0))); });
}

void read_kernel_profiles(NsysFile& file) {
  if (file.wants(Field::kernel_profiles)) ProfilesReader(file).read();
}

void order_metrics(NsysFile& file) {
  for (KernelProfile& kernel : file.trace().kernel_profiles) {
    if (kernel.rank == file.rank()) std::ranges::stable_sort(kernel.metrics, {}, &Metric::name);
  }
}

}  // namespace sonde::nsys
