#include "report/json/summary_json.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSummarySchema = "sonde.summary/1";

Json optional_json(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json distribution_json(const std::optional<Distribution>& d) {
  if (!d) return nullptr;
  return {{"count", d->count},    {"total_ns", d->total}, {"average_ns", d->mean}, {"median_ns", d->median},
          {"minimum_ns", d->min}, {"maximum_ns", d->max}, {"stddev_ns", d->stddev}};
}

Json named_json(const std::vector<NamedSummary>& names) {
  Json list = Json::array();
  for (const NamedSummary& n : names) {
    Json entry = {{"name", n.name}};
    entry.update(distribution_json(n.time));
    list.push_back(std::move(entry));
  }
  return list;
}

Json copies_json(const std::vector<CopySummary>& copies) {
  Json list = Json::array();
  for (const CopySummary& c : copies) {
    list.push_back({{"direction", c.direction},
                    {"count", c.count},
                    {"bytes", optional_json(c.bytes)},
                    {"time_ns", c.time_ns},
                    {"bytes_per_s", optional_json(c.bytes_per_s())}});
  }
  return list;
}

Json share(int64_t part, int64_t whole) {
  return whole == 0 ? Json(nullptr) : Json(100 * static_cast<double>(part) / static_cast<double>(whole));
}

Json gpu_json(const GpuSummary& g, int64_t total_ns, int64_t origin_ns) {
  return {{"place", g.place},
          {"name", g.name.empty() ? Json(nullptr) : Json(g.name)},
          {"busy_ns", g.busy_ns},
          {"busy_percent", share(g.busy_ns, total_ns)},
          {"kernel_ns", g.kernel_ns},
          {"kernel_percent", share(g.kernel_ns, total_ns)},
          {"copy_ns", g.copy_ns},
          {"copy_percent", share(g.copy_ns, total_ns)},
          {"set_ns", g.set_ns},
          {"set_percent", share(g.set_ns, total_ns)},
          {"idle_ns", g.idle_ns},
          {"idle_percent", share(g.idle_ns, total_ns)},
          {"first_ns", g.first_ns - origin_ns},
          {"last_ns", g.last_ns - origin_ns},
          {"kernels", g.kernels},
          {"sets", g.sets},
          {"graph_launches", g.graph_launches},
          {"copies", copies_json(g.copies)}};
}

Json warm_up_json(const std::optional<WarmUp>& w) {
  if (!w) return nullptr;
  return {{"range", w->range},
          {"iterations", w->iterations},
          {"slow_iterations", w->slow_iterations},
          {"slow_average_ns", w->slow_iterations > 0 ? Json(w->slow_mean_ns) : Json(nullptr)},
          {"median_ns", w->median_ns}};
}

Json known_json(int64_t value) { return value == kUnknown ? Json(nullptr) : Json(value); }

Json memory_json(const MemoryAtPeak& peak, int64_t origin_ns) {
  Json held = Json::array();
  for (const HeldMemory& h : held_by_place(peak)) {
    held.push_back({{"role", name_of(h.role)},
                    {"place", h.place.empty() ? Json(nullptr) : Json(h.place)},
                    {"bytes", h.bytes},
                    {"allocations", h.allocations}});
  }
  return {{"place", peak.gpu},
          {"peak_bytes", peak.bytes},
          {"peak_ns", peak.time_ns == kUnknown ? Json(nullptr) : Json(peak.time_ns - origin_ns)},
          {"reserved_bytes", known_json(peak.reserved_bytes)},
          {"peak_reserved_bytes", known_json(peak.peak_reserved_bytes)},
          {"capacity_bytes", known_json(peak.capacity_bytes)},
          {"held", std::move(held)}};
}

Json sources_json(const Trace& trace) {
  Json list = Json::array();
  for (const Rank& r : trace.ranks) {
    list.push_back({{"file", r.file},
                    {"format", r.format},
                    {"product", r.product},
                    {"product_version", r.product_version.empty() ? Json(nullptr) : Json(r.product_version)},
                    {"rank", optional_json(r.rank)},
                    {"world_size", optional_json(r.world_size)}});
  }
  return list;
}

Json log_json(const ImportLog& log) {
  Json list = Json::array();
  for (const ImportLog::Entry& entry : log.entries()) {
    const IssueText& text = text_of(entry.issue);
    list.push_back({{"id", text.id},
                    {"count", entry.count},
                    {"detail", entry.detail.empty() ? Json(nullptr) : Json(entry.detail)},
                    {"what", text.what},
                    {"meaning", text.meaning}});
  }
  return list;
}

}  // namespace

Json summary_document(const Trace& trace, const RunSummary& summary, int64_t origin_ns) {
  constexpr double kNanosecondsPerMillisecond = 1e6;
  Json document = {{"schema", kSummarySchema},
                   // In milliseconds, at the top level, under this name: scripts in use read it so.
                   {"avg_kernel_time",
                    summary.kernel_time ? Json(summary.kernel_time->mean / kNanosecondsPerMillisecond) : Json(nullptr)},
                   {"sources", sources_json(trace)},
                   {"start_ns", summary.start_ns - origin_ns},
                   {"total_ns", summary.total_ns},
                   {"set_up_ns", summary.set_up_ns},
                   {"after_ns", summary.after_ns},
                   {"gpus", Json::array()},
                   {"kernel_time", distribution_json(summary.kernel_time)},
                   {"launch_latency", distribution_json(summary.launch_latency)},
                   {"warm_up", warm_up_json(summary.warm_up)},
                   {"kernels", named_json(summary.kernels)},
                   {"api_calls", named_json(summary.api_calls)},
                   {"memory", Json::array()},
                   {"import_log", log_json(trace.log)}};
  for (const GpuSummary& gpu : summary.gpus) document["gpus"].push_back(gpu_json(gpu, summary.working_ns(), origin_ns));
  for (const MemoryAtPeak& peak : summary.memory) document["memory"].push_back(memory_json(peak, origin_ns));
  return document;
}

std::string summary_json(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde
