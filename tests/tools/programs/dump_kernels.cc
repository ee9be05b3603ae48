#include "dump_kernels.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sonde {
namespace {

using nlohmann::json;

constexpr std::array kAdviceKinds = {"none", "ok", "warning", "error", "optimization"};
constexpr std::array kScopes = {"unknown", "local", "global"};
constexpr std::array kStyles = {"push_pop", "start_end"};

void print(const json& line) { fmt::print("{}\n", line.dump(-1, ' ', false, json::error_handler_t::replace)); }

json text(const Trace& t, NameId id) { return id == kNone ? json() : json(t.name(id)); }
json known(int64_t value) { return value == kUnknown ? json() : json(value); }
json row(uint32_t value) { return value == kNone ? json() : json(value); }
json maybe(const auto& value) { return value ? json(*value) : json(); }

json value(const Trace& t, const MetricValue& v) {
  if (v.exact()) return *v.exact();
  if (v.number()) return *v.number();
  return text(t, v.name());
}

json list(const auto& items, const auto& one) {
  json out = json::array();
  for (const auto& item : items) out.push_back(one(item));
  return out;
}

json labels(const Trace& t, const std::vector<SectionMetric>& metrics) {
  return list(metrics, [&](const SectionMetric& m) { return json::array({text(t, m.label), text(t, m.metric)}); });
}

json section(const Trace& t, const ProfileSection& s) {
  return {{"type", "section"},
          {"id", text(t, s.id)},
          {"title", text(t, s.title)},
          {"order", s.order},
          {"description", text(t, s.description)},
          {"header", labels(t, s.header)},
          {"others", labels(t, s.others)},
          {"sets", list(s.sets, [&](NameId id) { return text(t, id); })}};
}

json rule(const Trace& t, const RuleResult& r) {
  const auto advice = [&](const AdviceText& a) {
    return json::array({kAdviceKinds[static_cast<size_t>(a.kind)], text(t, a.title), text(t, a.text)});
  };
  const auto focus = [&](const FocusMetric& f) {
    return json::array({text(t, f.metric), f.value, f.severity, text(t, f.text)});
  };
  const auto speedup = [](const EstimatedSpeedup& s) {
    return json::array({kScopes[static_cast<size_t>(s.scope)], s.percent});
  };
  const auto marker = [&](const SourceMarker& m) { return json::array({m.address, text(t, m.text), m.kind}); };
  return {{"id", text(t, r.id)},
          {"name", text(t, r.name)},
          {"section", text(t, r.section)},
          {"texts", list(r.texts, advice)},
          {"focus", list(r.focus, focus)},
          {"speedups", list(r.speedups, speedup)},
          {"markers", list(r.markers, marker)}};
}

json metrics(const Trace& t, const KernelProfile& k) {
  json out = json::object();
  for (const Metric& m : k.metrics) out[std::string(t.name(m.name))] = value(t, m.value);
  return out;
}

json instances(const Trace& t, const KernelProfile& k) {
  const auto pair = [&](const MetricInstance& i) { return json::array({value(t, i.key), value(t, i.value)}); };
  json out = json::object();
  for (const Metric& m : k.metrics) {
    if (!m.instances.empty()) out[std::string(t.name(m.name))] = list(m.instances, pair);
  }
  return out;
}

json ranges(const Trace& t, const KernelProfile& k) {
  return list(k.ranges, [&](const OpenRange& r) {
    return json::array({text(t, r.domain), text(t, r.name), r.thread, kStyles[static_cast<size_t>(r.style)]});
  });
}

json call_stack(const Trace& t, const KernelProfile& k) {
  return list(k.call_stack, [&](const HostFrame& f) {
    return json::array({text(t, f.module), text(t, f.function), text(t, f.file), f.line, f.address});
  });
}

json kernel(const Trace& t, const KernelProfile& k) {
  return {{"type", "kernel"},
          {"rank", k.rank},
          {"id", k.id},
          {"name", text(t, k.name)},
          {"function_name", text(t, k.function_name)},
          {"mangled_name", text(t, k.mangled_name)},
          {"grid", k.grid},
          {"block", k.block},
          {"process", known(k.process)},
          {"thread", known(k.thread)},
          {"context", known(k.context)},
          {"stream", known(k.stream)},
          {"created_utc_s", known(k.created_utc_s)},
          {"device", row(k.device)},
          {"metrics", metrics(t, k)},
          {"instances", instances(t, k)},
          {"sections", list(k.sections, [&](uint32_t s) { return text(t, t.profile_sections[s].id); })},
          {"rules", list(k.rules, [&](const RuleResult& r) { return rule(t, r); })},
          {"ranges", ranges(t, k)},
          {"call_stack", call_stack(t, k)},
          {"function", row(k.function)}};
}

json function(const Trace& t, const DeviceFunction& f) {
  const auto line = [&](const DeviceFunction::Line& l) { return json::array({l.offset, text(t, l.file), l.line}); };
  return {{"type", "function"},
          {"mangled_name", text(t, f.mangled_name)},
          {"address", f.address},
          {"code_bytes", f.code_bytes},
          {"lines", list(f.lines, line)}};
}

json device(const Trace& t, DeviceId id) {
  const Device& d = t.devices[id];
  json attributes = json::object();
  for (const DeviceAttribute& a : t.device_attributes) {
    if (a.device == id) attributes[std::string(t.name(a.name))] = value(t, a.value);
  }
  return {{"type", "device"},
          {"rank", d.rank},
          {"id", d.id},
          {"name", d.name},
          {"chip", d.chip},
          {"sm_count", maybe(d.sm_count)},
          {"total_memory_bytes", maybe(d.total_memory_bytes)},
          {"compute_major", maybe(d.compute_major)},
          {"compute_minor", maybe(d.compute_minor)},
          {"max_warps_per_sm", maybe(d.max_warps_per_sm)},
          {"max_registers_per_sm", maybe(d.max_registers_per_sm)},
          {"max_shared_bytes_per_sm", maybe(d.max_shared_bytes_per_sm)},
          {"attributes", attributes}};
}

}  // namespace

void dump_kernels(const Trace& trace) {
  for (DeviceId id = 0; id < trace.devices.size(); ++id) print(device(trace, id));
  for (const ProfileSection& s : trace.profile_sections) print(section(trace, s));
  for (const DeviceFunction& f : trace.device_functions) print(function(trace, f));
  for (const KernelProfile& k : trace.kernel_profiles) print(kernel(trace, k));
}

}  // namespace sonde
