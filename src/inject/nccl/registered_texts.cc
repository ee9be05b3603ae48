#include "inject/nccl/registered_texts.h"

#include <atomic>

#include "inject/name_table.h"
#include "wire/fnv.h"

namespace sonde::inject::nccl {
namespace {

/// NCCL 2.30 names 11 functions, 12 types, 7 algorithms and 3 protocols; programs name communicators.
constexpr uint32_t kSlots = 256;

/// Registered strings, at the place that their text gives them or the next free one.
constinit std::atomic<uint32_t> numbers[kSlots] = {};

bool is_same(uint32_t number, const Text& text) noexcept {
  const Text known = text_of_name(strings, number);
  return known.bytes == text.bytes && memcmp(known.data, text.data, text.bytes) == 0;
}

}  // namespace

/// Two threads that register a text at once give it two numbers, which is no harm.
uint32_t number_of(const char* text) noexcept {
  if (text == nullptr) return 0;
  const Text wanted = text_of(text);
  const uint64_t first = wire::fnv(text);
  for (uint32_t i = 0; i < kSlots; ++i) {
    std::atomic<uint32_t>& slot = numbers[(first + i) % kSlots];
    uint32_t number = slot.load(std::memory_order_acquire);
    if (number == 0) {
      number = register_name(strings, 0, wanted);
      if (number != 0) slot.store(number, std::memory_order_release);
      return number;
    }
    if (is_same(number, wanted)) return known_name(strings, number);
  }
  return 0;
}

}  // namespace sonde::inject::nccl
