#include "inject/names.h"

#include <atomic>

#include "inject/pages.h"
#include "inject/text_record.h"

namespace sonde::inject {
namespace {

struct Name {
  std::atomic<uint64_t> told;  ///< token of the process that told the recorder
  const char* text;
  uint16_t bytes;
  uint16_t domain;
};

/// Names lie in blocks that are mapped when the first of them comes: an allocator that is itself instrumented must not
/// be called from here.
constexpr uint32_t kBlockNames = 1024;
constexpr uint32_t kMostBlocks = kMostStrings / kBlockNames;
constexpr size_t kTextBytes = size_t{1} << 20U;

/// Held for some hundred nanoseconds, by the token of its process: in a child of fork() one that its parent held is
/// free. It is not waited for long, since a signal handler may have interrupted the one who holds it.
class Lock {
 public:
  explicit Lock(std::atomic<uint64_t>& holder) noexcept : holder_(holder) {
    constexpr int kTries = 100'000;
    const uint64_t own = own_token();
    for (int i = 0; i < kTries && !held_; ++i) {
      uint64_t found = holder_.load(std::memory_order_relaxed);
      held_ = found != own && holder_.compare_exchange_strong(found, own, std::memory_order_acquire);
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (held_) holder_.store(0, std::memory_order_release);
  }
  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  std::atomic<uint64_t>& holder_;
  bool held_ = false;
};

}  // namespace

struct NameTable {
  wire::Kind kind;
  uint32_t most;
  std::atomic<uint64_t> lock{};  ///< token of the process that holds it; 0 for none
  std::atomic<uint32_t> count{};
  std::atomic<Name*> blocks[kMostBlocks]{};
  std::byte* text_next = nullptr;
  std::byte* text_end = nullptr;
};

constinit NameTable domains{.kind = wire::Kind::domain, .most = kMostDomains};
constinit NameTable strings{.kind = wire::Kind::string, .most = kMostStrings};

namespace {

const char* keep_text(NameTable& table, const Text& text) noexcept {
  if (text.bytes == 0) return "";
  if (static_cast<size_t>(table.text_end - table.text_next) < text.bytes) {
    std::byte* fresh = take_pages(kTextBytes);
    if (fresh == nullptr) return nullptr;
    table.text_next = fresh;
    table.text_end = fresh + kTextBytes;
  }
  std::byte* kept = table.text_next;
  memcpy(kept, text.data, text.bytes);
  table.text_next += text.bytes;
  return reinterpret_cast<const char*>(kept);
}

Name* name_at(NameTable& table, uint32_t index) noexcept {
  Name* block = table.blocks[index / kBlockNames].load(std::memory_order_acquire);
  return block == nullptr ? nullptr : &block[index % kBlockNames];
}

/// The number of a new name, not told yet; 0 where there is no room.
uint32_t add(NameTable& table, uint16_t domain, const Text& text) noexcept {
  const Lock lock(table.lock);
  const uint32_t index = table.count.load(std::memory_order_relaxed);
  if (!lock.held() || index >= table.most) return 0;
  std::atomic<Name*>& block = table.blocks[index / kBlockNames];
  if (block.load(std::memory_order_relaxed) == nullptr) {
    block.store(new_array<Name>(kBlockNames), std::memory_order_release);
  }
  Name* name = name_at(table, index);
  const char* kept = name == nullptr ? nullptr : keep_text(table, text);
  if (kept == nullptr) return 0;
  name->text = kept;
  name->bytes = text.bytes;
  name->domain = domain;
  table.count.store(index + 1, std::memory_order_release);
  return index + 1;
}

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

bool was_given(const NameTable& table, uintptr_t number) noexcept {
  return number != 0 && number <= table.count.load(std::memory_order_acquire);
}

Text text_of_name(NameTable& table, uint32_t number) noexcept {
  if (!was_given(table, number)) return {};
  const Name& name = *name_at(table, number - 1);
  return {name.text, name.bytes};
}

uint32_t known_name(NameTable& table, uint32_t number) noexcept {
  if (!was_given(table, number)) return 0;
  Name& name = *name_at(table, number - 1);
  const uint64_t token = attachment.guard->load(std::memory_order_relaxed);
  if (token != 0 && name.told.load(std::memory_order_relaxed) == token) return number;
  if (write_definition(table.kind, name.domain, number, {name.text, name.bytes})) {
    name.told.store(attachment.guard->load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  return number;
}

}  // namespace sonde::inject
