#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "synth/program.h"

/// What plants have in common.
namespace sonde::synth {

/// A step that a plant adds at a step's place. Its random draws have a name of their own, so that no other draw
/// changes.
[[nodiscard]] Step planted(StepKind kind, uint32_t site, std::string_view what, uint32_t number = 0);

/// Whether the step opens a range of this level.
[[nodiscard]] bool opens(const Program& program, const Step& step, RangeLevel level);

/// Whether the step opens a layer: a module whose name ends in its number.
[[nodiscard]] bool opens_layer(const Program& program, const Step& step);

/// The first stream of a GPU.
[[nodiscard]] uint16_t any_stream(const Program& program, uint16_t gpu);

/// Several kernels instead of one, each with its launch and an operator's host work, by the kernel's number.
using Replacements = std::map<uint32_t, std::vector<uint32_t>>;
void replace_launches(Program& program, const Replacements& replacements);

/// The same for each kernel that `is_replaced`, by those that `add_parts` adds to the program.
void replace_kernels(Program& program, const std::function<bool(const Kernel&)>& is_replaced,
                     const std::function<std::vector<uint32_t>(Program&, const Kernel&)>& add_parts);

}  // namespace sonde::synth
