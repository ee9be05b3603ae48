#pragma once

#include <functional>
#include <string>
#include <vector>

#include "synth/builder.h"

namespace sonde::synth {

struct Module {
  std::string nvtx;
  std::string torch;
  bool operator==(const Module&) const = default;
};

/// One operator of a model: its place in the tree of modules, and what it runs on the GPU forward and backward.
struct ModelOp {
  std::vector<Module> within;
  std::string name;
  std::string backward_name;
  std::string shapes;
  uint32_t kernel = 0;
  bool gemm = false;
  bool clears_workspace = false;
  std::vector<uint32_t> backward;
  int64_t sequence = 0;
};
using Model = std::vector<ModelOp>;

/// An encoder and a decoder of `layers` layers each, attention and MLP in each layer, and a head.
[[nodiscard]] Model transformer(Program& program, int layers);

void emit_forward(Builder& builder, const Model& model, uint16_t stream);
/// The operators in reverse. `layer_done` comes after each layer, with its number from the front.
void emit_backward(Builder& builder, const Model& model, uint16_t stream, const std::function<void(int)>& layer_done);

/// Bytes of one sample batch as it comes from the host, and of the results.
inline constexpr int64_t kInputBytes = int64_t{8} * 3 * 512 * 512 * 4;
inline constexpr int64_t kOutputBytes = int64_t{8} * 512 * 1024 * 2;
/// Parameters of one layer: four projections and an MLP four times as wide.
inline constexpr int64_t kLayerParameters = int64_t{12} * 1024 * 1024;

}  // namespace sonde::synth
