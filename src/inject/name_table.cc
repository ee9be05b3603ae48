#include "inject/name_table.h"

#include <atomic>

#include "inject/pages.h"
#include "inject/text_record.h"

namespace sonde::inject {

/// Names and texts lie in blocks that are mapped when they are needed: an allocator that is itself instrumented must
/// not be called from here.
constexpr uint32_t kBlockNames = 1024;
constexpr uint32_t kMaxBlocks = kMaxStrings / kBlockNames;

/// Nobody waits here: a thread that is stopped in the middle of a registration, by the system, by a signal whose
/// handler registers too, or for ever in a child of fork(), leaves a number that was given to no name.
struct NameTable {
  /// A name is there once it has its text: whoever finds that finds all of it.
  struct Name {
    std::atomic<const char*> text;
    std::atomic<uint64_t> reported;  ///< token of the process that reported it to the recorder
    uint16_t bytes;
    uint16_t domain;
  };

  /// Texts one behind the other, `used` bytes of them; more where some did not fit any more.
  struct TextBlock {
    static constexpr uint32_t kBytes = (1U << 20U) - sizeof(uint32_t);
    std::atomic<uint32_t> used;
    char bytes[kBytes];
  };

  wire::Kind kind;
  uint32_t most;
  std::atomic<uint32_t> count{};  ///< numbers taken
  std::atomic<Name*> blocks[kMaxBlocks]{};
  std::atomic<TextBlock*> texts{};
};

constinit NameTable domains{.kind = wire::Kind::domain, .most = kMaxDomains};
constinit NameTable strings{.kind = wire::Kind::string, .most = kMaxStrings};

namespace {

using Name = NameTable::Name;
using TextBlock = NameTable::TextBlock;

/// Puts `count` zeroed values into a place that held `seen`, unless another thread has done so. False without memory.
template <typename T>
bool fill_place(std::atomic<T*>& place, T* seen, size_t count) noexcept {
  T* const fresh = new_array<T>(count);
  if (fresh == nullptr) return false;
  if (!place.compare_exchange_strong(seen, fresh, std::memory_order_release)) give_pages_back(fresh, count * sizeof(T));
  return true;
}

/// Null without memory.
const char* keep_text(NameTable& table, const Text& text) noexcept {
  if (text.bytes == 0) return "";
  for (;;) {
    TextBlock* const block = table.texts.load(std::memory_order_acquire);
    const uint32_t at =
        block == nullptr ? TextBlock::kBytes : block->used.fetch_add(text.bytes, std::memory_order_relaxed);
    if (at <= TextBlock::kBytes - text.bytes) {
      return static_cast<const char*>(memcpy(block->bytes + at, text.data, text.bytes));
    }
    if (!fill_place(table.texts, block, 1)) return nullptr;
  }
}

/// Null where nobody was to be named there.
Name* place_of(const NameTable& table, uint32_t index) noexcept {
  Name* const block = table.blocks[index / kBlockNames].load(std::memory_order_acquire);
  return block == nullptr ? nullptr : &block[index % kBlockNames];
}

/// Null without memory.
Name* make_place(NameTable& table, uint32_t index) noexcept {
  Name* const place = place_of(table, index);
  if (place != nullptr || !fill_place<Name>(table.blocks[index / kBlockNames], nullptr, kBlockNames)) return place;
  return place_of(table, index);
}

/// `most` where all are taken.
uint32_t take_index(NameTable& table) noexcept {
  uint32_t index = table.count.load(std::memory_order_relaxed);
  while (index < table.most && !table.count.compare_exchange_weak(index, index + 1, std::memory_order_relaxed))
    continue;
  return index;
}

/// The number of a new name, not reported yet; 0 where there is no room.
uint32_t add(NameTable& table, uint16_t domain, const Text& text) noexcept {
  const uint32_t index = take_index(table);
  if (index == table.most) return 0;
  Name* const name = make_place(table, index);
  const char* const kept = name == nullptr ? nullptr : keep_text(table, text);
  if (kept == nullptr) return 0;
  name->bytes = text.bytes;
  name->domain = domain;
  name->text.store(kept, std::memory_order_release);
  return index + 1;
}

/// Null for a number that was given to no name.
Name* name_of(const NameTable& table, uintptr_t number) noexcept {
  if (number == 0 || number > table.most) return nullptr;
  Name* const name = place_of(table, static_cast<uint32_t>(number - 1));
  return name != nullptr && name->text.load(std::memory_order_acquire) != nullptr ? name : nullptr;
}

Text recorded_text(const Name& name) noexcept { return {name.text.load(std::memory_order_relaxed), name.bytes}; }

}  // namespace

bool write_definition(wire::Kind kind, uint16_t domain, uint32_t number, const Text& text) noexcept {
  if (phase() == wire::Phase::ended) return false;
  return write_with_text({kind, 0, domain, 0, now_ns()}, wire::DefinitionBody{number, 0, 0}, text);
}

uint32_t register_name(NameTable& table, uint16_t domain, const Text& text) noexcept {
  const uint32_t number = add(table, domain, text);
  if (number == 0) {
    count(wire::Loss::no_string);
    return 0;
  }
  return known_name(table, number);
}

bool was_given(const NameTable& table, uintptr_t number) noexcept { return name_of(table, number) != nullptr; }

Text text_of_name(const NameTable& table, uintptr_t number) noexcept {
  const Name* const name = name_of(table, number);
  return name == nullptr ? Text{} : recorded_text(*name);
}

uint32_t known_name(const NameTable& table, uintptr_t number) noexcept {
  Name* const name = name_of(table, number);
  if (name == nullptr) return 0;
  const auto known = static_cast<uint32_t>(number);
  const uint64_t token = attachment.guard->load(std::memory_order_relaxed);
  // Acquire and release: what another thread reported to the recorder is there before what this one writes.
  if (token != 0 && name->reported.load(std::memory_order_acquire) == token) return known;
  if (write_definition(table.kind, name->domain, known, recorded_text(*name))) {
    name->reported.store(attachment.guard->load(std::memory_order_relaxed), std::memory_order_release);
  }
  return known;
}

}  // namespace sonde::inject
