#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitor/exposition.h"

/// Metric families as rows: what they are called, what they say and where their values are from. docs/serve/metrics.md
/// is printed from them.
namespace sonde::monitor {

enum class MetricKind {
  gauge,
  counter,
  untyped  ///< a counter of DCGM, whose name promtool would not take for one: see DcgmForm
};

enum class MetricDetail {
  basic,    ///< always there
  detailed  ///< left out by `detailed_gpu_metrics: false`
};

/// What metrics are made from.
struct Scrape {
  const HostSnapshot& host;
  const config::Config& config;
  const std::string& hostname;
  DcgmForm dcgm = DcgmForm::linted;
};

/// A label's name, and a value that can be any bytes.
using Label = std::pair<std::string_view, std::string_view>;

/// Writes samples of one metric. Not by prometheus-cpp: its families and serializer took 2.5 ms for eight GPUs, of the
/// 2 ms that a scrape may take; a test holds this text against its.
class Samples {
 public:
  Samples(std::string_view metric, std::string& text) : metric_(metric), text_(text) {}
  void add(std::initializer_list<Label> labels, double value) { add(std::span(labels.begin(), labels.size()), value); }
  void add(std::span<const Label> labels, double value);

 private:
  std::string_view metric_;
  std::string& text_;
};

struct Metric {
  std::string_view name;  ///< ends in its unit, counters in _total
  MetricKind kind = MetricKind::gauge;
  MetricDetail detail = MetricDetail::detailed;
  std::string_view labels = {};  ///< their names, separated by commas
  std::string_view help = {};
  void (*collect)(const Scrape& scrape, Samples& out) = nullptr;
};

/// Metrics of one subject: a file each.
struct Family {
  std::string_view name;
  std::string_view title;
  std::span<const Metric> metrics;
};

/// All of families/list.inc, in the order of the exposition.
[[nodiscard]] std::span<const Family* const> families();

/// Whether the values of a GPU are valid now. Values of a stale or absent GPU are not exposed.
[[nodiscard]] bool values_hold(const GpuView& gpu);

/// Calls `visit(gpu)` for each GPU with valid values.
template <typename Visit>
void for_each_read(const Scrape& scrape, Visit visit) {
  for (const GpuView& gpu : scrape.host.gpus) {
    if (values_hold(gpu)) visit(gpu);
  }
}

/// `value` in another unit. A share of it is divided, not multiplied, so that 57 % become 0.57.
[[nodiscard]] constexpr double scaled(double value, double factor) {
  return factor < 1 ? value / (1 / factor) : value * factor;
}

/// One sample for each GPU whose values hold and that gives this value: `value(reading)` is optional, in `1 / factor`.
template <typename Value>
void add_value(const Scrape& scrape, Samples& out, double factor, Value value) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    const auto given = value(gpu.sample.reading);
    if (given) out.add({{"uuid", gpu.uuid}}, scaled(static_cast<double>(*given), factor));
  });
}

/// Of a set of states, 1 for the one that holds and 0 for the others.
void add_states(Samples& out, std::string_view uuid, std::string_view label, std::span<const std::string_view> states,
                std::string_view current);

}  // namespace sonde::monitor
