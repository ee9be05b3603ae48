#include "analyses/operators/operator_inputs.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/text/decimal.h"
#include "trace/recorded_inputs.h"

namespace sonde {
namespace {

struct ElementType {
  std::string_view name;
  NumberFormat format;
  int bytes;
};

constexpr auto kElementTypes = std::to_array<ElementType>({
#define SONDE_ELEMENT_TYPE(name, format, bytes) {name, NumberFormat::format, bytes},
#include "analyses/operators/element_types.inc"
#undef SONDE_ELEMENT_TYPE
});

std::optional<TensorShape> shape_of(const nlohmann::json& dims) {
  if (!dims.is_array()) return std::nullopt;
  TensorShape shape;
  for (const auto& d : dims) {
    if (!d.is_number_integer() || d.get<int64_t>() < 0) return std::nullopt;
    shape.push_back(d.get<int64_t>());
  }
  return shape;
}

std::string text_at(const nlohmann::json& list, size_t i) {
  return i < list.size() && list[i].is_string() ? list[i].get<std::string>() : std::string();
}

/// The parts of "[1, 2]"; of "1" itself.
std::vector<std::string_view> parts_of(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    parts.push_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::optional<bool> flag_of(std::string_view text) {
  if (text == "True") return true;
  return text == "False" ? std::optional(false) : std::nullopt;
}

}  // namespace

nlohmann::json recorded_list(std::string_view text) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  return list.is_array() ? list : nlohmann::json::array();
}

MaybeAmount sum_of(std::initializer_list<MaybeAmount> amounts) {
  double sum = 0;
  for (const MaybeAmount& amount : amounts) {
    if (!amount) return std::nullopt;
    sum += *amount;
  }
  return sum;
}

double elements(const TensorShape& shape) {
  double product = 1;
  for (const int64_t d : shape) product *= static_cast<double>(d);
  return product;
}

OperatorInputs::OperatorInputs(std::string_view recorded) {
  const nlohmann::json dims = recorded_list(line_of(recorded, InputLine::shapes));
  const nlohmann::json names = recorded_list(line_of(recorded, InputLine::types));
  const nlohmann::json texts = recorded_list(line_of(recorded, InputLine::values));
  for (size_t i = 0; i < dims.size(); ++i) {
    Input& input = inputs_.emplace_back();
    const auto* const type = std::ranges::find(kElementTypes, text_at(names, i), &ElementType::name);
    if (type != kElementTypes.end()) {
      input.format = type->format;
      input.element_bytes = type->bytes;
    }
    const auto shape = shape_of(dims[i]);
    // An input that is no tensor has an empty shape, as a tensor without dimensions has: the type tells them apart.
    input.is_tensor = shape && (!shape->empty() || input.element_bytes > 0);
    if (input.is_tensor) input.shape = *shape;
    input.value = text_at(texts, i);
  }
}

const OperatorInputs::Input* OperatorInputs::tensor(size_t i) const {
  return i < inputs_.size() && inputs_[i].is_tensor ? &inputs_[i] : nullptr;
}

const TensorShape* OperatorInputs::shape(size_t i) const {
  const Input* input = tensor(i);
  return input == nullptr ? nullptr : &input->shape;
}

NumberFormat OperatorInputs::format(size_t i) const {
  const Input* input = tensor(i);
  return input == nullptr ? NumberFormat::unknown : input->format;
}

MaybeAmount OperatorInputs::element_bytes(size_t i) const {
  const Input* input = tensor(i);
  return input == nullptr || input->element_bytes == 0 ? MaybeAmount() : input->element_bytes;
}

MaybeAmount OperatorInputs::bytes(size_t i) const {
  const Input* input = tensor(i);
  if (input == nullptr) return 0;
  return input->element_bytes == 0 ? MaybeAmount() : elements(input->shape) * input->element_bytes;
}

std::string_view OperatorInputs::value(size_t i) const {
  return i < inputs_.size() ? std::string_view(inputs_[i].value) : std::string_view();
}

std::optional<bool> OperatorInputs::flag(size_t i) const { return flag_of(value(i)); }

std::optional<int64_t> OperatorInputs::number(size_t i) const { return integer_of<int64_t>(value(i)); }

std::optional<std::vector<int64_t>> OperatorInputs::numbers(size_t i) const {
  if (value(i).empty()) return std::nullopt;
  std::vector<int64_t> found;
  for (const std::string_view part : parts_of(value(i))) {
    const auto number = integer_of<int64_t>(part);
    if (!number) return std::nullopt;
    found.push_back(*number);
  }
  return found;
}

std::optional<std::vector<int64_t>> OperatorInputs::numbers(size_t i, size_t count) const {
  auto found = numbers(i);
  if (!found || found->empty() || (found->size() != 1 && found->size() != count)) return std::nullopt;
  found->resize(count, found->front());
  return found;
}

std::optional<std::vector<bool>> OperatorInputs::flags(size_t i) const {
  if (value(i).empty()) return std::nullopt;
  std::vector<bool> found;
  for (const std::string_view part : parts_of(value(i))) {
    const auto flag = flag_of(part);
    if (!flag) return std::nullopt;
    found.push_back(*flag);
  }
  return found;
}

}  // namespace sonde
