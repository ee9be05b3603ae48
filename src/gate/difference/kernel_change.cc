#include <algorithm>
#include <cmath>
#include <numeric>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/difference.h"
#include "gate/difference/shape_changes.h"

namespace sonde::gate {
namespace {

/// What a kernel profiler measured of a kernel over the runs of a side.
struct Measured {
  std::vector<double> duration_ns;
  std::vector<double> cycles;
  std::vector<double> occupancy_percent;
  std::vector<double> spill_bytes;
};

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::map<std::string, Measured, std::less<>> measured_of(std::span<const RunRecord> runs) {
  std::map<std::string, Measured, std::less<>> all;
  for (const RunRecord& run : runs) {
    for (const KernelMeasure& measure : run.measures) {
      Measured& kernel = all[measure.kernel];
      kernel.duration_ns.insert(kernel.duration_ns.end(), measure.duration_ns.begin(), measure.duration_ns.end());
      kernel.cycles.insert(kernel.cycles.end(), measure.cycles.begin(), measure.cycles.end());
      if (measure.achieved_occupancy_percent) kernel.occupancy_percent.push_back(*measure.achieved_occupancy_percent);
      if (measure.spill_bytes) kernel.spill_bytes.push_back(*measure.spill_bytes);
    }
  }
  return all;
}

/// A kernel on one side: its figures, and its most frequent shape.
struct KernelSide {
  const Measured* measured = nullptr;
  const KernelShape* shape = nullptr;
  [[nodiscard]] std::optional<double> duration_ns() const {
    return measured == nullptr ? std::nullopt : mean(measured->duration_ns);
  }
  /// Cycles of a second, where each launch has both.
  [[nodiscard]] std::optional<double> clock_hz() const {
    const auto duration = duration_ns();
    const auto cycles = measured == nullptr ? std::nullopt : mean(measured->cycles);
    if (!duration || !cycles || *duration <= 0 || *cycles <= 0) return std::nullopt;
    return *cycles / *duration * 1e9;
  }
};

class Chain {
 public:
  Chain(const KernelSide& base, const KernelSide& changed) : base_(base), changed_(changed) {}

  template <typename Figure>
  void shape_figure(std::string figure, Unit unit, Figure KernelShape::* member) {
    if (base_.shape == nullptr || changed_.shape == nullptr) return;
    const auto& before = base_.shape->*member;
    const auto& after = changed_.shape->*member;
    if (before && after) link(std::move(figure), unit, static_cast<double>(*before), static_cast<double>(*after), 0);
  }
  void dims(std::string figure, Dim3 KernelShape::* member) {
    if (base_.shape == nullptr || changed_.shape == nullptr) return;
    const std::string before = dim_text(base_.shape->*member);
    const std::string after = dim_text(changed_.shape->*member);
    if (before != after)
      links_.push_back({std::move(figure), named_text("base", before), named_text("changed", after)});
  }
  /// Means of both sides. Differences up to `least` of the base are noise.
  void measured(std::string figure, Unit unit, std::vector<double> Measured::* member, double least) {
    if (base_.measured == nullptr || changed_.measured == nullptr) return;
    const auto before = mean(base_.measured->*member);
    const auto after = mean(changed_.measured->*member);
    if (before && after) link(std::move(figure), unit, *before, *after, least);
  }
  void link(std::string figure, Unit unit, double before, double after, double least) {
    if (std::abs(after - before) <= least * std::abs(before)) return;
    links_.push_back({std::move(figure), {"base", unit, before, {}}, {"changed", unit, after, {}}});
  }
  [[nodiscard]] std::vector<KernelChange::Link> take() { return std::move(links_); }

 private:
  const KernelSide& base_;
  const KernelSide& changed_;
  std::vector<KernelChange::Link> links_;
};

std::vector<KernelChange::Link> links_of(const KernelSide& base, const KernelSide& changed) {
  constexpr double kNoise = 0.01;
  Chain chain(base, changed);
  chain.shape_figure("registers", Unit::none, &KernelShape::registers_per_thread);
  chain.shape_figure("shared_memory", Unit::bytes, &KernelShape::shared_bytes_per_block);
  chain.shape_figure("local_memory", Unit::bytes, &KernelShape::local_bytes_per_thread);
  chain.measured("spill", Unit::bytes, &Measured::spill_bytes, kNoise);
  chain.dims("grid", &KernelShape::grid);
  chain.dims("block", &KernelShape::block);
  chain.shape_figure("blocks_per_sm", Unit::none, &KernelShape::blocks_per_sm);
  chain.shape_figure("theoretical_occupancy", Unit::percent, &KernelShape::theoretical_occupancy_percent);
  chain.measured("occupancy", Unit::percent, &Measured::occupancy_percent, kNoise);
  chain.measured("cycles", Unit::none, &Measured::cycles, kNoise);
  const auto base_hz = base.clock_hz();
  const auto hz = changed.clock_hz();
  if (base_hz && hz) chain.link("clock", Unit::none, std::round(*base_hz / 1e6), std::round(*hz / 1e6), kNoise);
  chain.measured("time", Unit::nanoseconds, &Measured::duration_ns, 0);
  return chain.take();
}

KernelChange change_of(const std::string& kernel, const KernelSide& base, const KernelSide& changed) {
  KernelChange found{kernel, base.duration_ns(), changed.duration_ns(), std::nullopt, links_of(base, changed)};
  const auto base_hz = base.clock_hz();
  const auto hz = changed.clock_hz();
  if (base_hz && hz) found.clock_ns = std::llround(*found.changed_ns * (1 - *hz / *base_hz));
  return found;
}

/// Time of all measured launches of a kernel on the side where that is more, that its mean changed by.
double weight_of(const KernelChange& change) {
  return std::abs(change.changed_ns.value_or(0) - change.base_ns.value_or(0));
}

template <typename Map>
auto* find_in(const Map& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<KernelChange> kernel_changes(std::span<const RunRecord> base, std::span<const RunRecord> changed) {
  const auto before = measured_of(base);
  const auto after = measured_of(changed);
  const auto shapes_before = main_shapes(base);
  const auto shapes_after = main_shapes(changed);
  std::map<std::string, bool> names;
  for (const auto& [name, measured] : before) names[name] = true;
  for (const auto& [name, measured] : after) names[name] = true;
  std::vector<KernelChange> changes;
  for (const auto& [name, there] : names) {
    changes.push_back(change_of(name, {find_in(before, name), find_in(shapes_before, name)},
                                {find_in(after, name), find_in(shapes_after, name)}));
  }
  std::ranges::stable_sort(changes, std::greater(), weight_of);
  return changes;
}

}  // namespace sonde::gate
