#include "importers/torch_snapshot/stacks.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::torch_snapshot {
namespace {

/// A file of a C++ function has another ending; code without a file is "<string>" or "<frozen ...>".
bool is_python(std::string_view file) { return file.ends_with(".py") || file.starts_with('<'); }

/// What calls a module's forward() is on every stack, twice for each module, and so is what Sonde's recorder calls.
bool is_module_call(std::string_view function, std::string_view file) {
  return (function.ends_with("_call_impl") && file.ends_with("torch/nn/modules/module.py")) ||
         file.contains("/_sonde_torch/");
}

/// "linear" of "at::_ops::linear::call(at::Tensor const&, ...)"; empty for other functions.
std::string_view operator_of(std::string_view function) {
  constexpr std::string_view kOperators = "at::_ops::";
  if (!function.starts_with(kOperators)) return {};
  function.remove_prefix(kOperators.size());
  const size_t end = function.find("::");
  return end == std::string_view::npos ? std::string_view() : function.substr(0, end);
}

bool is_of_autograd(std::string_view function) {
  return function.starts_with("torch::autograd::generated::") ||
         function.starts_with("torch::autograd::Engine::evaluate_function");
}

}  // namespace

Stack Stacks::of(Pickle::Id frames) {
  const auto [found, fresh] = known_.try_emplace(frames);
  if (fresh) found->second = make(frames);
  return found->second;
}

Stack Stacks::make(Pickle::Id frames) {
  Stack stack;
  const size_t before = trace_.chains.symbol.size();
  std::string_view op;
  bool is_within_python = false;
  for (const Pickle::Id frame : p_.items(frames)) {
    const std::string_view function = p_.text(frame, "name");
    const std::string_view file = p_.text(frame, "filename");
    if (is_python(file)) {
      is_within_python = true;
      if (!is_module_call(function, file)) add_frame(function, file, p_.integer(frame, "line"));
      continue;
    }
    if (is_of_autograd(function)) add_frame(function.substr(0, function.find('(')), {}, {});
    if (const std::string_view name = operator_of(function); !is_within_python && !name.empty()) op = name;
  }
  if (!op.empty()) stack.op = trace_.names.intern(fmt::format("aten::{}", op));
  if (trace_.chains.symbol.size() > before) {
    stack.chain = static_cast<ChainId>(trace_.chains.size());
    trace_.chains.first.push_back(static_cast<uint32_t>(trace_.chains.symbol.size()));
  }
  return stack;
}

void Stacks::add_frame(std::string_view symbol, std::string_view file, std::optional<int64_t> line) {
  CallChains& c = trace_.chains;
  const bool known = line && *line > 0 && std::in_range<int32_t>(*line);
  c.line.resize(c.symbol.size(), kUnknown32);
  c.line.push_back(known ? static_cast<int32_t>(*line) : kUnknown32);
  c.symbol.push_back(trace_.names.intern(symbol));
  c.module.push_back(file.empty() ? kNone : trace_.names.intern(file));
  c.address.push_back(kUnknown);
  c.kernel_mode.push_back(0);
}

}  // namespace sonde::torch_snapshot
