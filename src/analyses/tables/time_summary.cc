#include "analyses/tables/time_summary.h"

#include <algorithm>
#include <numeric>

namespace sonde {
namespace {

void add_share(Table& table, std::span<const Distribution> groups) {
  double listed = 0;
  for (const Distribution& d : groups) listed += static_cast<double>(d.total);
  auto& share = table.reals("Time", Unit::percent, 1);
  for (const Distribution& d : groups) {
    share.push_back(listed > 0 ? 100 * static_cast<double>(d.total) / listed : 0);
  }
}

void add_integers(Table& table, std::string name, std::span<const Distribution> groups,
                  int64_t Distribution::* figure) {
  auto& column = table.integers(std::move(name), Unit::nanoseconds);
  for (const Distribution& d : groups) column.push_back(d.count > 0 ? d.*figure : kUnknown);
}

void add_reals(Table& table, std::string name, std::span<const Distribution> groups, double Distribution::* figure) {
  auto& column = table.reals(std::move(name), Unit::nanoseconds, 1);
  for (const Distribution& d : groups) column.push_back(d.count > 0 ? d.*figure : kAbsent);
}

}  // namespace

void add_time_summary(Table& table, std::span<const Distribution> groups, std::string count_name) {
  add_share(table, groups);
  add_integers(table, "Total Time", groups, &Distribution::total);
  auto& count = table.integers(std::move(count_name));
  for (const Distribution& d : groups) count.push_back(d.count);
  add_spread(table, "", groups);
}

void add_spread(Table& table, std::string_view prefix, std::span<const Distribution> groups) {
  const std::string before(prefix);
  add_reals(table, before + "Avg", groups, &Distribution::mean);
  add_reals(table, before + "Med", groups, &Distribution::median);
  add_integers(table, before + "Min", groups, &Distribution::min);
  add_integers(table, before + "Max", groups, &Distribution::max);
  add_reals(table, before + "StdDev", groups, &Distribution::stddev);
}

std::vector<Row> order_by_total(std::span<const Distribution> groups, std::span<const std::string_view> labels) {
  std::vector<Row> order(groups.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::stable_sort(order, [&](Row a, Row b) {
    if (groups[a].total != groups[b].total) return groups[a].total > groups[b].total;
    return labels[a] < labels[b];
  });
  return order;
}

}  // namespace sonde
