#include "importers/pytorch/args.h"

namespace sonde::pytorch {
namespace {

constexpr auto kKeys = std::to_array<std::string_view>({
#define SONDE_ARG(id, text) text,
#include "importers/pytorch/args.inc"
#undef SONDE_ARG
});

constexpr size_t kSlots = 256;

/// Spreads the keys over the slots by length, first and last letter; those that meet are in the next free slot.
constexpr size_t slot_of(std::string_view key) {
  const auto first = static_cast<uint8_t>(key.front());
  const auto last = static_cast<uint8_t>(key.back());
  return (key.size() * 37 + first * size_t{5} + last * size_t{11}) % kSlots;
}

constexpr auto kTable = [] {
  std::array<uint8_t, kSlots> table{};
  table.fill(static_cast<uint8_t>(Arg::count_));
  for (size_t i = 0; i < kKeys.size(); ++i) {
    size_t slot = slot_of(kKeys[i]);
    while (table[slot] != static_cast<uint8_t>(Arg::count_)) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<uint8_t>(i);
  }
  return table;
}();

}  // namespace

Arg arg_of(std::string_view key) {
  if (key.empty()) return Arg::count_;
  for (size_t slot = slot_of(key);; slot = (slot + 1) % kSlots) {
    const uint8_t arg = kTable[slot];
    if (arg == static_cast<uint8_t>(Arg::count_) || kKeys[arg] == key) return static_cast<Arg>(arg);
  }
}

}  // namespace sonde::pytorch
