#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/difference.h"
#include "gate/difference/kernel_pairs.h"
#include "gate/difference/shape_changes.h"

namespace sonde::gate {
namespace {

/// What a kernel profiler measured of a kernel over the runs of a side.
struct Measured {
  std::vector<double> duration_ns;
  std::vector<double> cycles;
  std::vector<double> occupancy_percent;
  std::vector<double> spill_bytes;
  std::map<std::string, std::vector<double>, std::less<>> figures;  ///< measured_figures.inc
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
      for (const auto& [name, value] : measure.figures) kernel.figures[name].push_back(value);
    }
  }
  return all;
}

constexpr double kSectorBytes = 32;

/// A kernel on one side: its figures, and its most frequent shape.
struct KernelSide {
  const Measured* measured = nullptr;
  const KernelShape* shape = nullptr;

  [[nodiscard]] std::optional<double> duration_ns() const {
    return measured == nullptr ? std::nullopt : mean(measured->duration_ns);
  }
  [[nodiscard]] std::optional<double> figure(std::string_view name) const {
    if (measured == nullptr) return std::nullopt;
    const auto found = measured->figures.find(name);
    return found == measured->figures.end() ? std::nullopt : mean(found->second);
  }
  [[nodiscard]] std::optional<double> threads() const {
    if (shape == nullptr || shape->grid[0] == 0 || shape->block[0] == 0) return std::nullopt;
    double product = 1;
    for (const Dim3& dim : {shape->grid, shape->block}) {
      for (const uint32_t size : dim) product *= size;
    }
    return product > 0 ? std::optional(product) : std::nullopt;
  }
  /// What `part` is of `whole`, in percent.
  [[nodiscard]] std::optional<double> share(std::string_view part, std::string_view whole) const {
    const auto a = figure(part);
    const auto b = figure(whole);
    return a && b && *b > 0 ? std::optional(100 * *a / *b) : std::nullopt;
  }
  /// Bytes of global memory that the accesses need, the same ones again where they are accessed again.
  [[nodiscard]] std::optional<double> accessed_bytes() const {
    const auto sectors = figure("sectors");
    const auto excess = figure("excess_sectors");
    return sectors && excess ? std::optional(kSectorBytes * (*sectors - *excess)) : std::nullopt;
  }
  /// Passes of L1 for each load or store, in proportion; of kernels without shared memory and without counted sectors.
  [[nodiscard]] std::optional<double> passes_per_request() const {
    if (figure("sectors") || shape == nullptr || shape->shared_bytes_per_block != 0) return std::nullopt;
    const auto percent = share("l1_passes", "l1_requests");
    return percent ? std::optional(*percent / 100) : std::nullopt;
  }
  /// Cycles of a second, where each launch has both.
  [[nodiscard]] std::optional<double> clock_hz() const {
    const auto duration = duration_ns();
    const auto cycles = measured == nullptr ? std::nullopt : mean(measured->cycles);
    if (!duration || !cycles || *duration <= 0 || *cycles <= 0) return std::nullopt;
    return *cycles / *duration * 1e9;
  }
};

std::optional<double> ratio(std::optional<double> base, std::optional<double> changed) {
  return base && changed && *base > 0 ? std::optional(*changed / *base) : std::nullopt;
}

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
  /// The same for a figure of measured_figures.inc; `least` of both, for shares that are near zero in points.
  void collected(std::string figure, Unit unit, std::string_view name, double least) {
    either(std::move(figure), unit, base_.figure(name), changed_.figure(name), least);
  }
  void either(std::string figure, Unit unit, std::optional<double> before, std::optional<double> after, double least) {
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

constexpr double kNoise = 0.01;
/// Hit rates and counts of DRAM differ by more from launch to launch.
constexpr double kCacheNoise = 0.05;

std::vector<KernelChange::Link> links_of(const KernelSide& base, const KernelSide& changed) {
  Chain chain(base, changed);
  chain.shape_figure("registers", Unit::none, &KernelShape::registers_per_thread);
  chain.shape_figure("shared_memory", Unit::bytes, &KernelShape::shared_bytes_per_block);
  chain.shape_figure("local_memory", Unit::bytes, &KernelShape::local_bytes_per_thread);
  chain.measured("spill", Unit::bytes, &Measured::spill_bytes, kNoise);
  chain.dims("grid", &KernelShape::grid);
  chain.dims("block", &KernelShape::block);
  chain.collected("instructions", Unit::none, "instructions", kCacheNoise);
  chain.collected("fp64_instructions", Unit::none, "fp64_instructions", kCacheNoise);
  chain.either("accessed", Unit::bytes, base.accessed_bytes(), changed.accessed_bytes(), kCacheNoise);
  chain.collected("excess_sectors", Unit::none, "excess_sectors", kCacheNoise);
  chain.collected("bank_conflicts", Unit::none, "bank_conflicts", kCacheNoise);
  chain.shape_figure("blocks_per_sm", Unit::none, &KernelShape::blocks_per_sm);
  chain.shape_figure("theoretical_occupancy", Unit::percent, &KernelShape::theoretical_occupancy_percent);
  chain.measured("occupancy", Unit::percent, &Measured::occupancy_percent, kCacheNoise);
  chain.collected("l1_hit", Unit::percent, "l1_hit", kCacheNoise);
  chain.collected("l2_hit", Unit::percent, "l2_hit", kCacheNoise);
  chain.collected("dram_bytes", Unit::bytes, "dram_bytes", kCacheNoise);
  chain.collected("compute", Unit::percent, "compute", kCacheNoise);
  chain.collected("memory", Unit::percent, "memory", kCacheNoise);
  chain.measured("cycles", Unit::none, &Measured::cycles, kNoise);
  const auto base_hz = base.clock_hz();
  const auto hz = changed.clock_hz();
  if (base_hz && hz) chain.link("clock", Unit::none, std::round(*base_hz / 1e6), std::round(*hz / 1e6), kNoise);
  chain.measured("time", Unit::nanoseconds, &Measured::duration_ns, kNoise);
  return chain.take();
}

/// More threads access more memory, or fewer less: another problem, not another program.
bool is_other_problem(const KernelSide& base, const KernelSide& changed) {
  constexpr double kOther = 1.25;
  const auto threads = ratio(base.threads(), changed.threads());
  const auto bytes = ratio(base.accessed_bytes(), changed.accessed_bytes());
  if (!threads || !bytes) return false;
  return (*threads >= kOther && *bytes >= kOther) || (*threads <= 1 / kOther && *bytes <= 1 / kOther);
}

/// Of the time of a thread where the problems differ, else of the kernel.
double change_percent(const KernelSide& base, const KernelSide& changed) {
  const auto time = ratio(base.duration_ns(), changed.duration_ns());
  const double work = is_other_problem(base, changed) ? ratio(base.threads(), changed.threads()).value_or(1) : 1;
  return time ? 100 * (*time / work - 1) : 0;
}

/// A figure whose change can explain that of the time.
struct Explanation {
  std::string_view less, more;  ///< texts of causes_en.inc: for less time, for more time
  /// How much more of what costs time the changed side has, in points or percent.
  std::optional<double> (*growth)(const KernelSide& base, const KernelSide& changed);
};

std::optional<double> difference(std::optional<double> base, std::optional<double> changed) {
  return base && changed ? std::optional(*changed - *base) : std::nullopt;
}

std::optional<double> percent_more(std::optional<double> part) {
  return part ? std::optional(100 * (*part - 1)) : std::nullopt;
}

/// Of a count that grows with the problem.
std::optional<double> growth_per_thread(std::optional<double> amounts, const KernelSide& base,
                                        const KernelSide& changed) {
  const double work = is_other_problem(base, changed) ? ratio(base.threads(), changed.threads()).value_or(1) : 1;
  return amounts ? percent_more(*amounts / work) : std::nullopt;
}

// The nearest to the source code first: the later ones are often its consequences.
constexpr auto kExplanations = std::to_array<Explanation>({
    {"chain.coalesced", "chain.uncoalesced",
     [](const KernelSide& base, const KernelSide& changed) {
       return difference(base.share("excess_sectors", "sectors"), changed.share("excess_sectors", "sectors"));
     }},
    {"chain.coalesced", "chain.uncoalesced",
     [](const KernelSide& base, const KernelSide& changed) {
       return percent_more(ratio(base.passes_per_request(), changed.passes_per_request()));
     }},
    {"chain.fp64_less", "chain.fp64_more",
     [](const KernelSide& base, const KernelSide& changed) {
       return difference(base.share("fp64_instructions", "instructions"),
                         changed.share("fp64_instructions", "instructions"));
     }},
    {"chain.spills_less", "chain.spills_more",
     [](const KernelSide& base, const KernelSide& changed) {
       const auto of = [](const KernelSide& side) -> std::optional<double> {
         const auto bytes = side.measured == nullptr ? std::nullopt : mean(side.measured->spill_bytes);
         const auto sectors = side.figure("sectors");
         if (!bytes || !sectors || *bytes + *sectors <= 0) return std::nullopt;
         return 100 * *bytes / (*bytes + kSectorBytes * *sectors);
       };
       return difference(of(base), of(changed));
     }},
    {"chain.bank_conflicts_less", "chain.bank_conflicts_more",
     [](const KernelSide& base, const KernelSide& changed) {
       return difference(base.share("bank_conflicts", "instructions"), changed.share("bank_conflicts", "instructions"));
     }},
    {"chain.occupancy_higher", "chain.occupancy_lower",
     [](const KernelSide& base, const KernelSide& changed) -> std::optional<double> {
       if (base.shape == nullptr || changed.shape == nullptr) return std::nullopt;
       return difference(changed.shape->theoretical_occupancy_percent, base.shape->theoretical_occupancy_percent);
     }},
    {"chain.accessed_less", "chain.accessed_more",
     [](const KernelSide& base, const KernelSide& changed) {
       return growth_per_thread(ratio(base.accessed_bytes(), changed.accessed_bytes()), base, changed);
     }},
    {"chain.requests_less", "chain.requests_more",
     [](const KernelSide& base, const KernelSide& changed) {
       return growth_per_thread(ratio(base.figure("l1_requests"), changed.figure("l1_requests")), base, changed);
     }},
    {"chain.dram_less", "chain.dram_more",
     [](const KernelSide& base, const KernelSide& changed) {
       const auto bytes = ratio(base.figure("dram_bytes"), changed.figure("dram_bytes"));
       const auto busy = ratio(base.figure("dram_busy"), changed.figure("dram_busy"));
       return growth_per_thread(bytes ? bytes : busy, base, changed);
     }},
    {"chain.instructions_less", "chain.instructions_more",
     [](const KernelSide& base, const KernelSide& changed) {
       return growth_per_thread(ratio(base.figure("instructions"), changed.figure("instructions")), base, changed);
     }},
    {"chain.clock_higher", "chain.clock_lower",
     [](const KernelSide& base, const KernelSide& changed) {
       const auto growth = percent_more(ratio(base.clock_hz(), changed.clock_hz()));
       return growth ? std::optional(-10 * *growth) : std::nullopt;  // 1 % of clock is 1 % of time
     }},
});

/// The first explanation whose figure changed enough, in the direction of the time.
std::string_view cause_of(const KernelSide& base, const KernelSide& changed) {
  constexpr double kLeastGrowth = 8;  // points or percent
  const double time = change_percent(base, changed);
  if (std::abs(time) <= 100 * kNoise) return {};
  for (const Explanation& explanation : kExplanations) {
    const auto growth = explanation.growth(base, changed);
    if (!growth || std::abs(*growth) < kLeastGrowth || (*growth > 0) != (time > 0)) continue;
    return time > 0 ? explanation.more : explanation.less;
  }
  return {};
}

/// Of the change of the mean, what disappears in cycles; nothing where the clocks are the same but for noise.
std::optional<int64_t> clock_ns_of(const KernelSide& base, const KernelSide& changed) {
  const auto faster = ratio(base.clock_hz(), changed.clock_hz());
  if (!faster) return std::nullopt;
  return std::abs(*faster - 1) <= kNoise ? 0 : std::llround(*changed.duration_ns() * (1 - *faster));
}

/// A change of the time alone, by what launches differ anyway, is none.
bool is_noise(const KernelChange& change) {
  const auto is_shape = [](const KernelChange::Link& link) {
    constexpr auto kMeasured = std::to_array<std::string_view>(
        {"occupancy", "l1_hit", "l2_hit", "dram_bytes", "compute", "memory", "cycles", "clock", "time"});
    return std::ranges::find(kMeasured, link.figure) == kMeasured.end();
  };
  const bool same_time = std::ranges::find(change.links, "time", &KernelChange::Link::figure) == change.links.end();
  return change.base_ns && change.changed_ns && same_time && std::ranges::none_of(change.links, is_shape);
}

KernelChange change_of(const KernelPair& pair, const KernelSide& base, const KernelSide& changed) {
  KernelChange found;
  found.kernel = pair.changed.empty() ? pair.base : pair.changed;
  if (pair.renamed()) found.base_kernel = pair.base;
  found.base_ns = base.duration_ns();
  found.changed_ns = changed.duration_ns();
  found.links = links_of(base, changed);
  if (!found.base_ns || !found.changed_ns) return found;
  found.clock_ns = clock_ns_of(base, changed);
  found.cause = cause_of(base, changed);
  if (is_other_problem(base, changed)) found.percent_per_thread = change_percent(base, changed);
  if (is_noise(found)) found.links.clear();
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
  const auto names = [](const auto& measured) {
    std::set<std::string> found;
    for (const auto& [name, values] : measured) found.insert(name);
    return found;
  };
  std::vector<KernelChange> changes;
  for (const KernelPair& pair : pair_kernels(names(before), names(after))) {
    changes.push_back(change_of(pair, {find_in(before, pair.base), find_in(shapes_before, pair.base)},
                                {find_in(after, pair.changed), find_in(shapes_after, pair.changed)}));
  }
  std::ranges::stable_sort(changes, std::greater(), weight_of);
  return changes;
}

}  // namespace sonde::gate
