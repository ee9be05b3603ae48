#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sonde::torch_snapshot {

/// A Python pickle of plain data: None, booleans, numbers, strings, tuples, lists and dictionaries, protocols 2 to 5.
/// Nothing in it is called, imported or built: a pickle that asks for that is refused. A value costs at least one byte
/// of the file.
class Pickle {
 public:
  using Id = uint32_t;  ///< of a value; a value that the file uses twice has one

  /// The strings of the result point into `bytes`. The error ends a sentence that begins with the file.
  [[nodiscard]] static Result<Pickle> read(std::string_view bytes);

  [[nodiscard]] Id root() const { return root_; }
  /// How many values the file makes.
  [[nodiscard]] size_t size() const { return values_.size(); }
  /// The value of a key; absent where `dict` is no dictionary or has no such key among its first 64.
  [[nodiscard]] std::optional<Id> member(Id dict, std::string_view key) const;
  /// Items of a list or tuple, of a dictionary keys and values in turn; empty for other values.
  [[nodiscard]] std::span<const Id> items(Id value) const;
  [[nodiscard]] bool is_dict(Id value) const { return values_[value].kind == Kind::dict; }
  [[nodiscard]] bool is_list(Id value) const { return values_[value].kind == Kind::list; }
  /// A whole number, or a boolean. Numbers of 64 bits without a sign keep their bits.
  [[nodiscard]] std::optional<int64_t> integer(Id value) const;
  /// Empty for other values.
  [[nodiscard]] std::string_view text(Id value) const;

  [[nodiscard]] std::optional<int64_t> integer(Id dict, std::string_view key) const;
  [[nodiscard]] std::string_view text(Id dict, std::string_view key) const;

 private:
  friend class PickleReader;
  enum class Kind : uint8_t { none, boolean, integer, large_integer, real, text, bytes, tuple, list, dict };
  struct Value {
    Kind kind = Kind::none;
    uint32_t size = 0;    ///< of a text
    int64_t content = 0;  ///< a number, a text's place in the file, or the index of a container
  };

  std::string_view bytes_;
  std::vector<Value> values_;
  std::vector<std::vector<Id>> containers_;
  Id root_ = 0;
};

}  // namespace sonde::torch_snapshot
