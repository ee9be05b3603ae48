#include "analyses/sum_table.h"

#include <algorithm>
#include <numeric>

namespace sonde {
namespace {

/// Rows by total, largest first; equal ones by their labels, so that the order is the same on every run.
std::vector<Row> order_of(const std::vector<Distribution>& groups, const std::vector<SumLabel>& labels) {
  std::vector<Row> order(groups.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::sort(order, [&](Row a, Row b) {
    if (groups[a].total != groups[b].total) return groups[a].total > groups[b].total;
    for (const SumLabel& label : labels) {
      if (label.texts[a] != label.texts[b]) return label.texts[a] < label.texts[b];
    }
    return a < b;
  });
  return order;
}

void add_labels(Table& table, const std::vector<Row>& order, std::vector<SumLabel> labels) {
  for (SumLabel& label : labels) {
    auto& texts = table.texts(std::move(label.column));
    for (const Row g : order) texts.push_back(label.texts[g]);
  }
}

}  // namespace

void fill_time_sum(Table& table, const std::vector<Distribution>& groups, std::string_view count_column,
                   std::vector<SumLabel> labels) {
  const auto order = order_of(groups, labels);
  int64_t all = 0;
  for (const Distribution& d : groups) all += d.total;
  auto& share = table.reals("Time", Unit::percent, 1);
  auto& total = table.integers("Total Time", Unit::nanoseconds);
  auto& count = table.integers(std::string(count_column));
  auto& mean = table.reals("Avg", Unit::nanoseconds, 1);
  auto& median = table.reals("Med", Unit::nanoseconds, 1);
  auto& min = table.integers("Min", Unit::nanoseconds);
  auto& max = table.integers("Max", Unit::nanoseconds);
  auto& stddev = table.reals("StdDev", Unit::nanoseconds, 1);
  for (const Row g : order) {
    const Distribution& d = groups[g];
    share.push_back(all == 0 ? 0 : 100.0 * static_cast<double>(d.total) / static_cast<double>(all));
    total.push_back(d.total);
    count.push_back(d.count);
    mean.push_back(d.mean);
    median.push_back(d.median);
    min.push_back(d.min);
    max.push_back(d.max);
    stddev.push_back(d.stddev);
  }
  add_labels(table, order, std::move(labels));
}

void fill_size_sum(Table& table, const std::vector<Distribution>& groups, std::vector<SumLabel> labels) {
  constexpr double kMegabyte = 1e6;
  const auto order = order_of(groups, labels);
  const auto column = [&](const char* name, auto value) {
    auto& values = table.reals(name, Unit::megabytes, 3);
    for (const Row g : order) values.push_back(static_cast<double>(value(groups[g])) / kMegabyte);
  };
  column("Total", [](const Distribution& d) { return d.total; });
  auto& count = table.integers("Count");
  for (const Row g : order) count.push_back(groups[g].count);
  column("Avg", [](const Distribution& d) { return d.mean; });
  column("Med", [](const Distribution& d) { return d.median; });
  column("Min", [](const Distribution& d) { return d.min; });
  column("Max", [](const Distribution& d) { return d.max; });
  column("StdDev", [](const Distribution& d) { return d.stddev; });
  add_labels(table, order, std::move(labels));
}

}  // namespace sonde
