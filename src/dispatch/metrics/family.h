#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "dispatch/dispatcher.h"
#include "monitor/families/shared_family.h"

/// Metric families of tasks as rows, like those of monitor/families. docs/serve/metrics.md is printed from them.
namespace sonde::dispatch {

enum class MetricKind { gauge, counter, histogram };
[[nodiscard]] std::string_view kind_name(MetricKind kind);

/// What metrics are made from.
struct TaskScrape {
  const QueueSnapshot& queue;
  const config::Config& config;
  int64_t file_bytes = 0;
};

/// Writes samples of one metric.
class TaskSamples {
 public:
  TaskSamples(std::string_view metric, std::string& text) : metric_(metric), text_(&text) {}
  void add(std::initializer_list<monitor::Label> labels, double value, std::string_view suffix = {}) {
    const std::string name = std::string(metric_).append(suffix);
    monitor::Samples(name, *text_).add(labels, value);
  }
  void add(std::initializer_list<monitor::Label> labels, int64_t value, std::string_view suffix = {}) {
    add(labels, static_cast<double>(value), suffix);
  }

 private:
  std::string_view metric_;
  std::string* text_;
};

struct TaskMetric {
  std::string_view name;  ///< ends in its unit, counters in _total
  MetricKind kind = MetricKind::gauge;
  std::string_view labels = {};  ///< their names, separated by commas
  std::string_view help = {};
  void (*collect)(const TaskScrape& scrape, TaskSamples& out) = nullptr;
};

/// Metrics of one subject: a file each.
struct TaskFamily {
  std::string_view name;
  std::string_view title;
  std::string_view key;  ///< of the configuration, that switches them
  bool (*is_on)(const config::Monitoring& monitoring) = nullptr;
  std::span<const TaskMetric> metrics;
};

/// All of families.inc, in the order of the exposition.
[[nodiscard]] std::span<const TaskFamily* const> task_families();

}  // namespace sonde::dispatch
