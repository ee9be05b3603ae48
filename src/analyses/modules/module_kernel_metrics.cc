#include "analyses/modules/module_kernel_metrics.h"

#include <utility>

#include "analyses/kernels/memory_counters.h"
#include "analyses/kernels/roofline.h"
#include "metrics/quantities.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Of all that asks L2; where only the charts were collected, of what L1 asks it for.
std::optional<double> l2_bytes_of(const Trace& trace, const KernelProfile& profile, const std::string& operation) {
  const auto all = cache_accesses(trace, profile, "lts", "_op_" + operation).bytes;
  return all ? all : cache_accesses(trace, profile, "lts", "_srcunit_tex_op_" + operation).bytes;
}

/// The mean over a sample, of those that have it.
Figures mean_of(const KernelSample& sample, const std::vector<Figures>& of_profile) {
  Figures means;
  for (size_t f = 0; f < kFigures; ++f) {
    double sum = 0;
    double count = 0;
    for (const uint32_t row : sample.profiles) {
      sum += of_profile[row][f].value_or(0);
      count += of_profile[row][f] ? 1 : 0;
    }
    if (count > 0) means[f] = sum / count;
  }
  return means;
}

template <typename Bytes>
TransferFit fit_of(const std::vector<MeasuredKernels>& modules, Bytes bytes_of) {
  std::vector<std::pair<double, double>> points;
  for (const MeasuredKernels& module : modules) {
    const std::optional<double> bytes = bytes_of(module);
    if (bytes) points.emplace_back(*bytes, static_cast<double>(module.matched_ns));
  }
  TransferFit fit{.modules = points.size(), .line = std::nullopt};
  if (points.size() >= kMinModulesOfFit) fit.line = linear_fit(points);
  return fit;
}

}  // namespace

Figures figures_of(const Trace& trace, const KernelProfile& profile) {
  Figures figures;
  const auto at = [&](Figure figure) -> std::optional<double>& { return figures.at(static_cast<size_t>(figure)); };
  const auto quantity = [&](std::string_view name) { return quantity_value(name, trace, profile); };
  at(Figure::dram_read_bytes) = dram_reads(trace, profile).bytes;
  at(Figure::dram_write_bytes) = dram_writes(trace, profile).bytes;
  at(Figure::dram_bytes) = dram_accesses(trace, profile).bytes;
  at(Figure::l2_read_bytes) = l2_bytes_of(trace, profile, "read");
  at(Figure::l2_write_bytes) = l2_bytes_of(trace, profile, "write");
  at(Figure::flop) = flop_of(trace, profile);
  at(Figure::achieved_occupancy) = quantity("achieved_occupancy");
  at(Figure::compute_sol) = quantity("compute_sol");
  at(Figure::memory_sol) = quantity("memory_sol");
  at(Figure::waves) = quantity("waves");
  return figures;
}

std::vector<Figures> figures_of_samples(const KernelJoin& join) {
  std::vector<Figures> of_profile;
  for (const KernelProfile& p : join.reports->kernel_profiles) of_profile.push_back(figures_of(*join.reports, p));
  std::vector<Figures> of_sample;
  of_sample.reserve(join.samples.size());
  for (const KernelSample& sample : join.samples) of_sample.push_back(mean_of(sample, of_profile));
  return of_sample;
}

FigureSum& FigureSum::operator+=(const FigureSum& other) {
  sum += other.sum;
  weighted += other.weighted;
  ns += other.ns;
  kernels += other.kernels;
  return *this;
}

MeasuredKernels& MeasuredKernels::operator+=(const MeasuredKernels& other) {
  ns += other.ns;
  matched_ns += other.matched_ns;
  matched += other.matched;
  for (size_t f = 0; f < kFigures; ++f) figures[f] += other.figures[f];
  return *this;
}

void MeasuredKernels::add(int64_t kernel_ns, const Figures* measured) {
  ns += kernel_ns;
  if (measured == nullptr) return;
  matched_ns += kernel_ns;
  ++matched;
  for (size_t f = 0; f < kFigures; ++f) {
    const auto& value = (*measured)[f];
    if (value) figures[f] += {*value, *value * static_cast<double>(kernel_ns), kernel_ns, 1};
  }
}

std::optional<double> MeasuredKernels::total(Figure figure) const {
  return matched > 0 && of(figure).kernels == matched ? std::optional(of(figure).sum) : std::nullopt;
}

std::optional<double> MeasuredKernels::mean(Figure figure) const {
  const FigureSum& found = of(figure);
  return found.ns > 0 ? std::optional(found.weighted / static_cast<double>(found.ns)) : std::nullopt;
}

std::optional<double> MeasuredKernels::l2_bytes() const {
  const auto reads = total(Figure::l2_read_bytes);
  const auto writes = total(Figure::l2_write_bytes);
  return reads && writes ? std::optional(*reads + *writes) : std::nullopt;
}

std::optional<double> MeasuredKernels::flop_per_byte() const {
  const auto flop = total(Figure::flop);
  const auto bytes = total(Figure::dram_bytes);
  return flop && bytes.value_or(0) > 0 ? std::optional(*flop / *bytes) : std::nullopt;
}

KernelBound MeasuredKernels::bound() const {
  return bound_of(mean(Figure::compute_sol), mean(Figure::memory_sol), mean(Figure::waves));
}

std::optional<double> MeasuredKernels::matched_percent() const {
  return ns > 0 ? std::optional(100 * static_cast<double>(matched_ns) / static_cast<double>(ns)) : std::nullopt;
}

std::optional<double> TransferFit::bytes_per_second() const {
  constexpr double kNsPerS = 1e9;
  return line && line->slope > 0 ? std::optional(kNsPerS / line->slope) : std::nullopt;
}

ModuleKernels module_kernels(const ModuleTree& tree, const KernelJoin& join) {
  const std::vector<Figures> of_sample = figures_of_samples(join);
  const Kernels& kernels = join.timeline->kernels;
  ModuleKernels found;
  found.self.resize(tree.modules.size());
  for (Row row = 0; row < row_count(kernels); ++row) {
    const Row call = kernels.launch[row];
    const uint32_t module = call == kNone ? kNone : tree.of_call[call];
    const uint32_t sample = join.sample_of[row];
    MeasuredKernels& of_module = module == kNone ? found.outside : found.self[module];
    of_module.add(tree.shares.kernels[row], sample == kNone ? nullptr : &of_sample[sample]);
  }
  found.total = found.self;
  found.whole = found.outside;
  for (size_t m = found.total.size(); m-- > 0;) {
    const uint32_t parent = tree.modules[m].parent;
    (parent == kNone ? found.whole : found.total[parent]) += found.total[m];
  }
  found.dram = fit_of(found.self, [](const MeasuredKernels& m) { return m.total(Figure::dram_bytes); });
  found.l2 = fit_of(found.self, [](const MeasuredKernels& m) { return m.l2_bytes(); });
  return found;
}

}  // namespace sonde
