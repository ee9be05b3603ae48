#include "gate/difference/shape_changes.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sonde::gate {
namespace {

using Shapes = std::vector<KernelShape>;  // of one kernel, each once, with its launches over all runs
using ByKernel = std::map<std::string, Shapes, std::less<>>;

auto dims(const Dim3& d) { return std::tuple(d[0], d[1], d[2]); }

auto key_of(const KernelShape& s) {
  return std::tuple(dims(s.grid), dims(s.block), s.registers_per_thread, s.shared_bytes_per_block,
                    s.local_bytes_per_thread);
}

ByKernel shapes_of(std::span<const RunRecord> runs) {
  ByKernel all;
  for (const RunRecord& run : runs) {
    for (const KernelShape& shape : run.shapes) {
      Shapes& known = all[shape.kernel];
      const auto same = std::ranges::find_if(known, [&](const KernelShape& s) { return key_of(s) == key_of(shape); });
      if (same == known.end()) {
        known.push_back(shape);
      } else {
        same->count += shape.count;
      }
    }
  }
  return all;
}

/// The most frequent shape that the other side does not have; its most frequent one where there is none such.
const KernelShape& own_shape(const Shapes& shapes, const Shapes& others) {
  const auto rank = [&](const KernelShape& shape) {
    const bool shared = std::ranges::any_of(others, [&](const KernelShape& s) { return key_of(s) == key_of(shape); });
    return std::pair(!shared, shape.count);
  };
  return *std::ranges::max_element(shapes, {}, rank);
}

void add_figure(std::string& text, std::string_view name, const std::optional<int64_t>& base,
                const std::optional<int64_t>& changed) {
  if (!base || !changed || *base == *changed) return;
  text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name, *base, *changed);
}

void add_dim(std::string& text, std::string_view name, const Dim3& base, const Dim3& changed) {
  if (dims(base) == dims(changed)) return;
  text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name, dim_text(base), dim_text(changed));
}

std::string change_text(const KernelShape& base, const KernelShape& changed) {
  std::string text;
  add_figure(text, "registers", base.registers_per_thread, changed.registers_per_thread);
  add_figure(text, "shared bytes", base.shared_bytes_per_block, changed.shared_bytes_per_block);
  add_figure(text, "local bytes", base.local_bytes_per_thread, changed.local_bytes_per_thread);
  add_dim(text, "grid", base.grid, changed.grid);
  add_dim(text, "block", base.block, changed.block);
  return text;
}

}  // namespace

std::string dim_text(const Dim3& dim) { return fmt::format("{}x{}x{}", dim[0], dim[1], dim[2]); }

ShapeChanges shape_changes(std::span<const RunRecord> base, std::span<const RunRecord> changed) {
  ShapeChanges found;
  const ByKernel before = shapes_of(base);
  for (const auto& [kernel, shapes] : shapes_of(changed)) {
    const auto known = before.find(kernel);
    if (known == before.end()) continue;
    std::string text = change_text(own_shape(known->second, shapes), own_shape(shapes, known->second));
    if (!text.empty()) found[kernel] = std::move(text);
  }
  return found;
}

std::map<std::string, KernelShape, std::less<>> main_shapes(std::span<const RunRecord> runs) {
  std::map<std::string, KernelShape, std::less<>> found;
  for (auto& [kernel, shapes] : shapes_of(runs)) {
    found[kernel] = *std::ranges::max_element(shapes, {}, &KernelShape::count);
  }
  return found;
}

}  // namespace sonde::gate
