// Prints the metrics of a host with all values.
//   dump_exposition full|basic|exact     the exposition; basic: detailed_gpu_metrics is false; exact: as dcgm-exporter
//   dump_exposition rows                 the metrics as tables of Markdown
//   dump_exposition bench GPUS           microseconds that rendering takes: median and 99th percentile of 1000, and
//   bytes
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "dispatch/metrics/exposition.h"
#include "dispatch/metrics/family.h"
#include "monitor/families/shared_family.h"
#include "sample_host.h"
#include "sample_queue.h"

namespace {

using namespace sonde::monitor;

std::string_view kind_name(MetricKind kind) {
  if (kind == MetricKind::gauge) return "gauge";
  return kind == MetricKind::counter ? "counter" : "untyped";
}

void task_rows() {
  for (const sonde::dispatch::TaskFamily* family : sonde::dispatch::task_families()) {
    fmt::print("### {}\n\nSwitched by `{}`.\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n",
               family->title, family->key);
    for (const sonde::dispatch::TaskMetric& metric : family->metrics) {
      fmt::print("| `{}` | {} | {} | {} |\n", metric.name, sonde::dispatch::kind_name(metric.kind),
                 metric.labels.empty() ? "-" : metric.labels, metric.help);
    }
    fmt::print("\n");
  }
}

int rows() {
  for (const Family* family : families()) {
    fmt::print("### {}\n\n| metric | type | labels | detailed | meaning |\n|---|---|---|---|---|\n", family->title);
    for (const Metric& metric : family->metrics) {
      fmt::print("| `{}` | {} | {} | {} | {} |\n", metric.name, kind_name(metric.kind),
                 metric.labels.empty() ? "-" : metric.labels, metric.detail == MetricDetail::detailed ? "yes" : "-",
                 metric.help);
    }
    fmt::print("\n");
  }
  task_rows();
  return 0;
}

double thread_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double wall_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int bench(size_t gpus) {
  constexpr size_t kRuns = 2000;
  const HostSnapshot host = sample_host(gpus);
  const sonde::config::Config config;
  std::vector<double> wall;
  std::vector<double> processor;
  size_t bytes = 0;
  for (size_t i = 0; i < kRuns; ++i) {
    const double wall_began = wall_us();
    const double processor_began = thread_us();
    bytes = exposition(host, config, "node7").size();
    processor.push_back(thread_us() - processor_began);
    wall.push_back(wall_us() - wall_began);
  }
  std::ranges::sort(wall);
  std::ranges::sort(processor);
  fmt::print("{:.0f} {:.0f} {:.0f} {:.0f} {}\n", wall[kRuns / 2], wall[kRuns * 99 / 100], processor[kRuns / 2],
             processor[kRuns * 99 / 100], bytes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "rows") return rows();
  if (what == "bench" && argc == 3) return bench(std::strtoul(argv[2], nullptr, 10));
  if (what != "full" && what != "basic" && what != "exact") {
    fmt::print(stderr, "dump_exposition: full, basic, exact, rows or bench GPUS\n");
    return 2;
  }
  sonde::config::Config config;
  config.gpu.monitoring.detailed_gpu_metrics = what != "basic";
  config.sonde.cost.per_kwh = 0.25;
  const DcgmForm form = what == "exact" ? DcgmForm::exact : DcgmForm::linted;
  std::fputs(exposition(sample_host(3), config, "node7", form).c_str(), stdout);
  std::fputs(sonde::dispatch::exposition(sample_queue(), config, 4096).c_str(), stdout);
  return 0;
}
