#include "inject/cupti/text_numbers.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/cupti/library.h"
#include "inject/cupti/worker_record.h"

namespace sonde::inject::cupti {
namespace {

/// A text that CUPTI points to. It is compared at each use: after a module is unloaded another may lie there.
struct Known {
  const char* at;
  const char* text;  ///< our copy
  uint32_t number;   ///< 0: this place is free
};

constexpr uint32_t kPlaces = 1U << 16U;
constexpr uint32_t kMostTexts = kPlaces / 2;
constexpr size_t kPageBytes = size_t{1} << 18U;

constinit Known* table = nullptr;
constinit uint32_t told = 0;
constinit char* page_next = nullptr;
constinit size_t page_left = 0;

char* pages(size_t bytes) noexcept {
  const long at = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == -1 ? nullptr : reinterpret_cast<char*>(at);
}

const char* keep(const char* text, size_t bytes) noexcept {
  if (bytes + 1 > kPageBytes) return nullptr;
  if (page_left < bytes + 1) {
    page_next = pages(kPageBytes);
    page_left = page_next == nullptr ? 0 : kPageBytes;
    if (page_next == nullptr) return nullptr;
  }
  char* const kept = page_next;
  memcpy(kept, text, bytes + 1);
  page_next += bytes + 1;
  page_left -= bytes + 1;
  return kept;
}

/// The place of a pointer: where it stands, or where it would.
Known& place_of(const char* at) noexcept {
  constexpr uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
  constexpr uint32_t kBits = 16;
  auto i = static_cast<uint32_t>((reinterpret_cast<uintptr_t>(at) * kSpread) >> (64U - kBits));
  while (table[i].number != 0 && table[i].at != at) i = (i + 1) % kPlaces;
  return table[i];
}

bool tell_part(uint32_t number, uint16_t part, const Text& text) noexcept {
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::CudaNameBody)) + wire::padded(text.bytes);
  std::byte* const at = begin_worker_record(wire::Kind::cuda_name, bytes, 0);
  if (at == nullptr) return false;
  put_text(put(at, wire::CudaNameBody{number, text.bytes, part}), text);
  commit_record(bytes);
  return true;
}

/// Templates have names of tens of thousands of bytes, and only a whole one can be demangled.
bool tell(uint32_t number, const char* text, size_t bytes) noexcept {
  uint16_t part = 0;
  do {
    const auto now = static_cast<uint16_t>(bytes < wire::kMostText ? bytes : wire::kMostText);
    if (!tell_part(number, part, {text, now})) return false;
    text += now;
    bytes -= now;
  } while (bytes > 0 && ++part < UINT16_MAX);
  return true;
}

}  // namespace

uint32_t number_of(const char* text) noexcept {
  if (text == nullptr) return 0;
  if (table == nullptr) table = reinterpret_cast<Known*>(pages(kPlaces * sizeof(Known)));
  if (table == nullptr) return 0;
  Known& known = place_of(text);
  if (known.number != 0 && strcmp(known.text, text) == 0) return known.number;
  const size_t bytes = strlen(text);
  const char* const kept = told < kMostTexts ? keep(text, bytes) : nullptr;
  if (kept == nullptr) return 0;
  const uint32_t number = told + 1;
  if (!tell(number, text, bytes)) return 0;
  told = number;
  known = {text, kept, number};
  return number;
}

void tell_call_name(uint16_t domain, uint32_t call) noexcept {
  constexpr uint32_t kMostCalls = 4096;
  constexpr uint16_t kDomains = 3;
  static constinit bool is_told[kDomains][kMostCalls] = {};
  const Library* const cupti = library();
  const char* name = nullptr;
  if (domain >= kDomains || call >= kMostCalls || is_told[domain][call] || cupti == nullptr) return;
  if (cupti->callback_name(static_cast<Domain>(domain), call, &name) != Result::ok || name == nullptr) return;
  const Text text = inject::text_of(name);
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::DefinitionBody)) + wire::padded(text.bytes);
  std::byte* const at = begin_worker_record(wire::Kind::cuda_api_name, bytes, domain);
  if (at == nullptr) return;
  put_text(put(at, wire::DefinitionBody{call, text.bytes, 0}), text);
  commit_record(bytes);
  is_told[domain][call] = true;
}

}  // namespace sonde::inject::cupti
