#include "report/text/summary_text.h"

#include <algorithm>

#include "base/text/text_width.h"
#include "report/tables/quantity.h"
#include "report/text/log_text.h"
#include "report/text/painted.h"
#include "report/text/product_text.h"

namespace sonde {
namespace {

constexpr size_t kDefaultWidth = 100;
/// What fits on one screen beside the rest.
constexpr size_t kShownNames = 8;

class Screen {
 public:
  Screen(const RenderOptions& options)
      : width_(options.width > 0 ? options.width : kDefaultWidth), colors_(options.colors) {}

  void heading(std::string_view text) { text_ += fmt::format("\n{}\n", painted(text, Paint::strong, colors_)); }
  void line(const std::string& text) { text_ += cut_middle(text, width_) + "\n"; }
  void fact(std::string_view name, const std::string& value) { line(fmt::format("{:<15}{}", name, value)); }
  [[nodiscard]] size_t width() const { return width_; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  size_t width_;
  bool colors_;
  std::string text_;
};

void show_source(Screen& screen, const Trace& trace) {
  for (const Rank& rank : trace.ranks) {
    std::string number;
    if (rank.rank) number = fmt::format(", rank {}", *rank.rank);
    if (rank.world_size) number += fmt::format(" of {}", *rank.world_size);
    screen.line(fmt::format("{}: {}{}", rank.file, product_text(rank), number));
  }
}

void show_gpu(Screen& screen, const GpuSummary& gpu, int64_t working_ns) {
  const auto share = [&](int64_t ns) { return percent_text(real(ns), real(working_ns)); };
  screen.heading(gpu.name.empty() ? gpu.place : fmt::format("{}  {}", gpu.place, gpu.name));
  const std::string sets = gpu.sets > 0 ? ", memsets " + share(gpu.set_ns) : "";
  screen.fact("  busy", fmt::format("{:>8}  {:>8}   (kernels {}, copies {}{})", share(gpu.busy_ns),
                                    time_text(real(gpu.busy_ns)), share(gpu.kernel_ns), share(gpu.copy_ns), sets));
  screen.fact("  idle", fmt::format("{:>8}  {:>8}", share(gpu.idle_ns), time_text(real(gpu.idle_ns))));
  std::string work = counted(gpu.kernels, "kernel");
  if (gpu.graph_launches > 0) work += ", " + counted(gpu.graph_launches, "graph launch");
  if (gpu.sets > 0) work += ", " + counted(gpu.sets, "memset");
  screen.fact("  work", work);
  for (const CopySummary& copies : gpu.copies) {
    const auto rate = copies.bytes_per_s();
    screen.line(fmt::format("  {:<24} {:>16}  {:>8}  {:>8}  {:>9}", copies.direction,
                            copies.count == 1 ? "1 copy  " : count_text(copies.count) + " copies",
                            copies.bytes ? bytes_text(real(*copies.bytes)) : "-", time_text(real(copies.time_ns)),
                            rate ? rate_text(*rate) : "-"));
  }
}

void show_memory(Screen& screen, const MemoryAtPeak& peak, int64_t start_ns) {
  const auto part_of = [&](int64_t bytes) { return percent_text(real(bytes), real(peak.bytes)); };
  std::string at =
      peak.time_ns == kUnknown ? " before the first event" : " at " + time_text(real(peak.time_ns - start_ns));
  if (peak.capacity_bytes != kUnknown)
    at += fmt::format(", {} of the GPU", percent_text(real(peak.bytes), real(peak.capacity_bytes)));
  screen.heading(fmt::format("{}  memory at its peak: {}{}", peak.gpu, bytes_text(real(peak.bytes)), at));
  if (peak.reserved_bytes != kUnknown) {
    screen.fact("  reserved", fmt::format("{}, {} of it not in use", bytes_text(real(peak.reserved_bytes)),
                                          bytes_text(real(peak.unused_bytes()))));
  }
  const std::vector<HeldMemory> all = held_by_place(peak);
  for (const HeldMemory& held : std::span(all).first(std::min(all.size(), kShownNames))) {
    const std::string place = held.place.empty() ? "" : ", " + held.place;
    screen.line(fmt::format("  {:>7}  {:>9}  {}{}", part_of(held.bytes), bytes_text(real(held.bytes)),
                            name_of(held.role), place));
  }
  if (all.size() > kShownNames) {
    screen.line("  and " + counted(static_cast<int64_t>(all.size() - kShownNames), "more place"));
  }
}

void show_names(Screen& screen, std::string_view what, const std::vector<NamedSummary>& names) {
  int64_t all = 0;
  int64_t count = 0;
  for (const NamedSummary& n : names) {
    all += n.time.total;
    count += n.time.count;
  }
  if (names.empty()) return;
  screen.heading(fmt::format("{}: {} in {}, {} on average", what, count_text(count), time_text(real(all)),
                             time_text(real(all) / real(count))));
  for (const NamedSummary& n : std::span(names).first(std::min(names.size(), kShownNames))) {
    const std::string figures =
        fmt::format("  {:>7}  {:>8}  {:>9} x {:>8}  ", percent_text(real(n.time.total), real(all)),
                    time_text(real(n.time.total)), count_text(n.time.count), time_text(n.time.mean));
    const size_t room = screen.width() > text_width(figures) ? screen.width() - text_width(figures) : 1;
    screen.line(figures + cut_middle(n.name, room));
  }
  if (names.size() > kShownNames)
    screen.line("  and " + counted(static_cast<int64_t>(names.size() - kShownNames), "more name"));
}

std::string warm_up_text(const std::optional<WarmUp>& warm_up) {
  if (!warm_up) return "unknown: no steps found";
  if (warm_up->slow_iterations == 0) {
    return fmt::format("none found: {} times '{}', median {}", warm_up->iterations, warm_up->range,
                       time_text(warm_up->median_ns));
  }
  return fmt::format("first {} of {} '{}': {} on average, the others {}", warm_up->slow_iterations, warm_up->iterations,
                     warm_up->range, time_text(warm_up->slow_mean_ns), time_text(warm_up->median_ns));
}

/// "3.00 s (100 % below); 4.10 s before (57.7 % of the run), 500 ms after (7.0 %)".
std::string working_text(const RunSummary& summary) {
  constexpr double kLarge = 0.1;
  constexpr double kShown = 0.01;
  std::string text = time_text(real(summary.working_ns())) + " (100 % below)";
  if (real(summary.set_up_ns + summary.after_ns) < kLarge * real(summary.total_ns)) return text;
  bool first = true;
  const auto add = [&](int64_t ns, std::string_view where) {
    if (real(ns) < kShown * real(summary.total_ns)) return;
    text += fmt::format("{} {} {} ({}{})", first ? ";" : ",", time_text(real(ns)), where,
                        percent_text(real(ns), real(summary.total_ns)), first ? " of the run" : "");
    first = false;
  };
  add(summary.set_up_ns, "before");
  add(summary.after_ns, "after");
  return text;
}

}  // namespace

std::string summary_text(const Trace& trace, const RunSummary& summary, const RenderOptions& options) {
  Screen screen(options);
  show_source(screen, trace);
  screen.fact("total time", time_text(real(summary.total_ns)));
  if (!summary.gpus.empty()) screen.fact("GPU work", working_text(summary));
  if (summary.launch_latency) {
    screen.fact("launch latency",
                fmt::format("median {}, maximum {}, from call to kernel start",
                            time_text(summary.launch_latency->median), time_text(real(summary.launch_latency->max))));
  }
  screen.fact("warm-up", warm_up_text(summary.warm_up));
  for (const GpuSummary& gpu : summary.gpus) show_gpu(screen, gpu, summary.working_ns());
  if (summary.gpus.empty()) screen.fact("GPU work", "none recorded");
  for (const MemoryAtPeak& peak : summary.memory) show_memory(screen, peak, summary.start_ns);
  show_names(screen, "kernels", summary.kernels);
  show_names(screen, "API calls", summary.api_calls);
  std::string text = screen.take();
  if (!trace.log.empty()) text += "\n" + log_text(trace.log);
  return text;
}

}  // namespace sonde
