#include "synth/transformer.h"

#include <algorithm>

#include <fmt/format.h>

#include "synth/kernels.h"

namespace sonde::synth {
namespace {

constexpr int64_t kTokens = int64_t{8} * 512;
constexpr int64_t kHidden = 1024;
constexpr int64_t kVocabulary = 32000;

/// Collects the operators of a model while modules are open.
class ModelBuilder {
 public:
  explicit ModelBuilder(Program& program) : program_(program) {}

  void enter(std::string nvtx, std::string torch) {
    open_.push_back({std::move(nvtx), fmt::format("nn.Module: {}", torch)});
  }
  void leave() { open_.pop_back(); }

  void linear(int64_t n, int64_t k, bool clears_workspace = false) {
    ModelOp& op = add("aten::linear", "AddmmBackward0", gemm_kernel(kTokens, n, k),
                      {gemm_kernel(kTokens, k, n), gemm_kernel(k, n, kTokens)});
    op.gemm = true;
    op.clears_workspace = clears_workspace;
    op.shapes = fmt::format("[[{}, {}], [{}, {}], [{}]]", kTokens, k, n, k, n);
  }
  void attention() {
    add("aten::scaled_dot_product_attention", "ScaledDotProductFlashAttentionBackward0", attention_kernel(false),
        {attention_kernel(true)});
  }
  void residual() {
    add("aten::add", "AddBackward0", elementwise_kernel("add", kTokens * kHidden, 3),
        {elementwise_kernel("copy", kTokens * kHidden, 2)});
  }
  void norm() {
    add("aten::layer_norm", "NativeLayerNormBackward0", norm_kernel(kTokens, kHidden, false),
        {norm_kernel(kTokens, kHidden, true)});
  }
  void gelu() {
    add("aten::gelu", "GeluBackward0", elementwise_kernel("gelu", kTokens * kHidden * 4, 2),
        {elementwise_kernel("gelu_backward", kTokens * kHidden * 4, 3)});
  }
  void softmax() {
    add("aten::log_softmax", "LogSoftmaxBackward0", softmax_kernel(kTokens, kVocabulary, false),
        {softmax_kernel(kTokens, kVocabulary, true)});
  }

  [[nodiscard]] Model take() { return std::move(model_); }

 private:
  ModelOp& add(std::string name, std::string backward_name, Kernel forward, const std::vector<Kernel>& backward) {
    ModelOp op;
    op.within = open_;
    op.name = std::move(name);
    op.backward_name = std::move(backward_name);
    op.kernel = add_kernel(program_, std::move(forward));
    for (const Kernel& k : backward) op.backward.push_back(add_kernel(program_, k));
    op.shapes = fmt::format("[[{}, {}]]", kTokens, kHidden);
    op.sequence = program_.sequences++;
    return model_.emplace_back(std::move(op));
  }

  Program& program_;
  std::vector<Module> open_;
  Model model_;
};

void add_attention(ModelBuilder& m) {
  m.linear(3 * kHidden, kHidden);
  m.attention();
  m.linear(kHidden, kHidden, true);
  m.residual();
  m.norm();
}

void add_mlp(ModelBuilder& m) {
  m.linear(4 * kHidden, kHidden);
  m.gelu();
  m.linear(kHidden, 4 * kHidden, true);
  m.residual();
  m.norm();
}

void add_stack(ModelBuilder& m, const std::string& name, const std::string& torch, int layers, int first) {
  m.enter(name, torch + "_0");
  for (int i = 0; i < layers; ++i) {
    const std::string layer = fmt::format("{}.layer.{}", name, i);
    m.enter(layer, fmt::format("TransformerLayer_{}", first + i));
    m.enter(layer + ".attention", fmt::format("Attention_{}", first + i));
    add_attention(m);
    m.leave();
    m.enter(layer + ".mlp", fmt::format("MLP_{}", first + i));
    add_mlp(m);
    m.leave();
    m.leave();
  }
  m.leave();
}

/// Closes and opens module ranges to come from one operator's modules to the next one's.
void move_to(Builder& b, std::vector<Module>& open, const std::vector<Module>& wanted, bool torch_modules) {
  const auto [mine, theirs] = std::ranges::mismatch(open, wanted);
  const auto keep = static_cast<size_t>(mine - open.begin());
  while (open.size() > keep) {
    b.pop();
    open.pop_back();
  }
  for (auto it = theirs; it != wanted.end(); ++it) {
    b.push(RangeLevel::module, it->nvtx, torch_modules ? it->torch : "");
    open.push_back(*it);
  }
}

/// A layer is the second module from the outside: model, stack, layer.
constexpr size_t kLayerDepth = 3;
const Module* layer_of(const ModelOp& op) {
  return op.within.size() < kLayerDepth ? nullptr : &op.within[kLayerDepth - 1];
}

void emit_op(Builder& b, const ModelOp& op, uint16_t stream) {
  constexpr int64_t kWorkspaceBytes = 4096;
  b.push_op(op.name, op.sequence, false, op.shapes);
  if (op.clears_workspace) b.set(kWorkspaceBytes, stream);
  if (op.gemm) {
    b.launch_gemm(op.kernel, stream);
  } else {
    b.launch(op.kernel, stream);
  }
  b.pop();
}

void emit_backward_op(Builder& b, const ModelOp& op, uint16_t stream) {
  b.push_op("autograd::engine::evaluate_function: " + op.backward_name, op.sequence, true);
  b.push_op(op.backward_name, op.sequence, true);
  for (const uint32_t kernel : op.backward) {
    if (op.gemm) {
      b.launch_gemm(kernel, stream);
    } else {
      b.launch(kernel, stream);
    }
  }
  b.pop();
  b.pop();
}

}  // namespace

Model transformer(Program& program, int layers) {
  ModelBuilder m(program);
  m.enter("model", "Transformer_0");
  add_stack(m, "encoder", "Encoder", layers, 0);
  add_stack(m, "decoder", "Decoder", layers, layers);
  m.enter("head", "Linear_0");
  m.linear(kVocabulary, kHidden);
  m.softmax();
  m.leave();
  m.leave();
  return m.take();
}

void emit_forward(Builder& b, const Model& model, uint16_t stream) {
  std::vector<Module> open;
  for (const ModelOp& op : model) {
    move_to(b, open, op.within, true);
    emit_op(b, op, stream);
  }
  move_to(b, open, {}, true);
}

void emit_backward(Builder& b, const Model& model, uint16_t stream, const std::function<void(int)>& layer_done) {
  std::vector<Module> open;
  int layer = 0;
  for (size_t i = model.size(); i-- > 0;) {
    move_to(b, open, model[i].within, false);
    emit_backward_op(b, model[i], stream);
    const Module* now = layer_of(model[i]);
    const Module* next = i == 0 ? nullptr : layer_of(model[i - 1]);
    const bool last_of_layer = now != nullptr && (next == nullptr || *next != *now);
    if (last_of_layer) layer_done(layer++);
  }
  move_to(b, open, {}, false);
}

}  // namespace sonde::synth
