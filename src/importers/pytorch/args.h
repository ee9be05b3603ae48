#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// The keys of an event's "args" that Sonde reads, and the tokens found for them.
namespace sonde::pytorch {

enum class Arg : uint8_t {
#define SONDE_ARG(id, text) id,
#include "importers/pytorch/args.inc"
#undef SONDE_ARG
  count_
};

/// The argument that a key (raw, without quotes) names; count_ for one that is not read.
[[nodiscard]] Arg arg_of(std::string_view key);

/// Raw JSON tokens by argument. Clearing is one store.
class Args {
 public:
  void clear() { present_ = 0; }
  void set(Arg arg, std::string_view token) {
    tokens_[static_cast<size_t>(arg)] = token;
    present_ |= bit(arg);
  }
  [[nodiscard]] bool has(Arg arg) const { return (present_ & bit(arg)) != 0; }
  /// The token as it is in the file, strings with their quotes; empty where the event has none.
  [[nodiscard]] std::string_view token(Arg arg) const {
    return has(arg) ? tokens_[static_cast<size_t>(arg)] : std::string_view();
  }

 private:
  static constexpr uint64_t bit(Arg arg) { return uint64_t{1} << static_cast<unsigned>(arg); }
  static_assert(static_cast<size_t>(Arg::count_) <= 64);
  uint64_t present_ = 0;
  std::array<std::string_view, static_cast<size_t>(Arg::count_)> tokens_;
};

}  // namespace sonde::pytorch
