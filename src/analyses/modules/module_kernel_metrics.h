#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyses/kernels/kernel_bound.h"
#include "analyses/kernels/kernel_join.h"
#include "analyses/modules/module_tree.h"
#include "analyses/tables/linear_fit.h"

/// What counters tell of a module: its matched kernels together.
namespace sonde {

enum class Figure : uint8_t {
  dram_read_bytes,
  dram_write_bytes,
  dram_bytes,
  l2_read_bytes,
  l2_write_bytes,
  flop,
  achieved_occupancy,
  compute_sol,
  memory_sol,
  waves,
  count_
};
inline constexpr size_t kFigures = static_cast<size_t>(Figure::count_);

/// What was measured of one launch, or the mean over several.
using Figures = std::array<std::optional<double>, kFigures>;

[[nodiscard]] Figures figures_of(const Trace& trace, const KernelProfile& profile);
/// For each of the join's samples the mean over its kernels, of those that have a figure.
[[nodiscard]] std::vector<Figures> figures_of_samples(const KernelJoin& join);

/// One figure of many kernels.
struct FigureSum {
  double sum = 0;       ///< bytes, FLOP
  double weighted = 0;  ///< times the kernel's share of the timeline's GPU time
  int64_t ns = 0;       ///< that time, of the kernels that have the figure
  int64_t kernels = 0;

  FigureSum& operator+=(const FigureSum& other);
};

/// Several kernels together, those of a module for example. Times are the timeline's: shares of GPU time, as the
/// module's own are (GpuShares).
struct MeasuredKernels {
  int64_t ns = 0;  ///< of all kernels
  int64_t matched_ns = 0;
  int64_t matched = 0;
  std::array<FigureSum, kFigures> figures;

  [[nodiscard]] const FigureSum& of(Figure figure) const { return figures.at(static_cast<size_t>(figure)); }
  /// Of the matched kernels; absent unless all of them have it.
  [[nodiscard]] std::optional<double> total(Figure figure) const;
  /// Weighted by time, over the matched kernels that have it.
  [[nodiscard]] std::optional<double> mean(Figure figure) const;
  [[nodiscard]] std::optional<double> l2_bytes() const;
  [[nodiscard]] std::optional<double> flop_per_byte() const;  ///< of device memory
  /// The rule for single kernels, with the means of what it asks for.
  [[nodiscard]] KernelBound bound() const;
  [[nodiscard]] std::optional<double> matched_percent() const;
  MeasuredKernels& operator+=(const MeasuredKernels& other);
  /// Adds one kernel; without figures it was not measured.
  void add(int64_t kernel_ns, const Figures* measured);
};

/// How the time of modules goes with the bytes that they move: a point for each module whose own kernels were measured,
/// with neither its inner modules nor kernels that were not measured.
struct TransferFit {
  size_t modules = 0;
  std::optional<LinearFit> line;  ///< ns over bytes; absent with fewer than three modules, or if all moved the same
  /// What the slope means; absent where time does not grow with bytes.
  [[nodiscard]] std::optional<double> bytes_per_second() const;
};
inline constexpr size_t kMinModulesOfFit = 3;

struct ModuleKernels {
  std::vector<MeasuredKernels> self;   ///< of each module of the tree
  std::vector<MeasuredKernels> total;  ///< with all modules inside
  MeasuredKernels outside;
  MeasuredKernels whole;
  TransferFit dram;
  TransferFit l2;
};

[[nodiscard]] ModuleKernels module_kernels(const ModuleTree& tree, const KernelJoin& join);

}  // namespace sonde
