#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sonde {

/// The format of a tensor's numbers, as far as it decides which units of a GPU compute with them.
enum class NumberFormat : uint8_t { unknown, fp64, fp32, fp16, bf16, fp8, int8, other };

/// A number of operations or bytes; absent where it is not known.
using MaybeAmount = std::optional<double>;

/// Absent where one of them is.
[[nodiscard]] MaybeAmount sum_of(std::initializer_list<MaybeAmount> amounts);

/// One line of recorded inputs; what is not a list is an empty one.
[[nodiscard]] nlohmann::json recorded_list(std::string_view text);

/// Names no input: it counts as one that was left out.
inline constexpr size_t kNoInput = SIZE_MAX;

using TensorShape = std::vector<int64_t>;

/// Elements of a tensor; 1 for a scalar's empty shape.
[[nodiscard]] double elements(const TensorShape& shape);

/// The inputs of an operator's call as PyTorch's profiler records them ("Input Dims", "Input type", "Concrete Inputs"),
/// by their position in the operator's signature.
class OperatorInputs {
 public:
  /// As recorded: JSON lists in lines (trace/recorded_inputs.h).
  explicit OperatorInputs(std::string_view recorded);

  [[nodiscard]] size_t size() const { return inputs_.size(); }
  /// nullptr for what is no tensor: left out, a list, a number.
  [[nodiscard]] const TensorShape* shape(size_t i) const;
  [[nodiscard]] NumberFormat format(size_t i) const;
  /// Of one element; absent where the type is not known.
  [[nodiscard]] MaybeAmount element_bytes(size_t i) const;
  /// 0 for an input that is no tensor; absent for a tensor of unknown type.
  [[nodiscard]] MaybeAmount bytes(size_t i) const;

  [[nodiscard]] std::optional<bool> flag(size_t i) const;
  [[nodiscard]] std::optional<int64_t> number(size_t i) const;
  [[nodiscard]] std::optional<std::vector<int64_t>> numbers(size_t i) const;
  /// One for each of `count` dimensions; a list of one number counts for all.
  [[nodiscard]] std::optional<std::vector<int64_t>> numbers(size_t i, size_t count) const;
  [[nodiscard]] std::optional<std::vector<bool>> flags(size_t i) const;

 private:
  struct Input {
    bool is_tensor = false;
    TensorShape shape;
    NumberFormat format = NumberFormat::unknown;
    int element_bytes = 0;  ///< 0: not known
    std::string value;
  };
  [[nodiscard]] const Input* tensor(size_t i) const;
  [[nodiscard]] std::string_view value(size_t i) const;

  std::vector<Input> inputs_;
};

}  // namespace sonde
