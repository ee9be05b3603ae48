#include "base/files/protobuf.h"
#include "importers/ncu/messages.h"

namespace sonde::ncu {
namespace {

AdviceKind advice_kind(uint64_t number) {
  return number <= static_cast<uint64_t>(AdviceKind::optimization) ? static_cast<AdviceKind>(number) : AdviceKind::none;
}

AdviceText text_of(std::string_view message, const Report& report) {
  AdviceText advice;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) advice.text = report.intern(field.bytes());
    if (field.number() == 2) advice.kind = advice_kind(field.integer());
    if (field.number() == 4) advice.title = report.intern(field.bytes());
  });
  return advice;
}

FocusMetric focus_of(std::string_view message, const Report& report) {
  FocusMetric focus;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 2) focus.metric = report.intern(field.bytes());
    if (field.number() == 3) focus.value = field.real();
    if (field.number() == 4) focus.severity = field.signed_integer();
    if (field.number() == 5) focus.text = report.intern(field.bytes());
  });
  return focus;
}

EstimatedSpeedup speedup_of(std::string_view message) {
  using Scope = EstimatedSpeedup::Scope;
  EstimatedSpeedup speedup;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1 && (field.integer() == 1 || field.integer() == 2)) {
      speedup.scope = field.integer() == 1 ? Scope::local : Scope::global;
    }
    if (field.number() == 2) speedup.percent = field.real();
  });
  return speedup;
}

SourceMarker marker_of(std::string_view message, const Report& report) {
  SourceMarker marker;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) marker.kind = field.signed_integer();
    if (field.number() == 3) marker.address = field.integer();
    if (field.number() == 4) marker.text = report.intern(field.bytes());
  });
  return marker;
}

/// One part of what a rule says. Its tables and charts (2 to 6) are drawn from metrics that the report holds anyway.
void read_item(std::string_view message, RuleResult& rule, const Report& report) {
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) rule.texts.push_back(text_of(field.bytes(), report));
    if (field.number() == 8) rule.focus.push_back(focus_of(field.bytes(), report));
    if (field.number() == 10) rule.speedups.push_back(speedup_of(field.bytes()));
  });
}

void read_body(std::string_view message, RuleResult& rule, const Report& report) {
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) read_item(field.bytes(), rule, report);
  });
}

}  // namespace

RuleResult rule_of(std::string_view message, const Report& report) {
  RuleResult rule;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) rule.id = report.intern(field.bytes());
    if (field.number() == 2) rule.name = report.intern(field.bytes());
    if (field.number() == 3) read_body(field.bytes(), rule, report);
    if (field.number() == 4) rule.section = report.intern(field.bytes());
    if (field.number() == 5) rule.markers.push_back(marker_of(field.bytes(), report));
  });
  return rule;
}

}  // namespace sonde::ncu
