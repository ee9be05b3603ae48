#include "inject/cupti/text_numbers.h"

#include "inject/cupti/library.h"
#include "inject/cupti/worker_record.h"
#include "inject/pages.h"
#include "wire/fnv.h"

namespace sonde::inject::cupti {
namespace {

/// A text that has a number.
struct Numbered {
  const char* text;  ///< our copy
  uint64_t hash;
  uint32_t number;  ///< 0: this place is free
};

/// What CUPTI pointed to. The text is compared at each use: after a module is unloaded another may lie there.
struct Pointed {
  const char* at;
  Numbered known;  ///< number 0: nothing
};

/// Both tables, apart from the program's heap.
struct Tables {
  static constexpr uint32_t kPlaces = 1U << 16U;
  Numbered texts[kPlaces];   ///< by their hash
  Pointed pointed[kPlaces];  ///< by the pointer; what comes later takes the place
};

constexpr uint32_t kMaxTexts = Tables::kPlaces / 2;
constexpr size_t kPageBytes = size_t{1} << 18U;

constinit Tables* tables = nullptr;
constinit uint32_t reported = 0;
constinit uint64_t numberless = 0;
constinit char* page_next = nullptr;
constinit size_t page_left = 0;

const char* keep(const char* text, size_t bytes) noexcept {
  if (bytes + 1 > kPageBytes) return nullptr;
  if (page_left < bytes + 1) {
    page_next = new_array<char>(kPageBytes);
    page_left = page_next == nullptr ? 0 : kPageBytes;
    if (page_next == nullptr) return nullptr;
  }
  char* const kept = page_next;
  memcpy(kept, text, bytes + 1);
  page_next += bytes + 1;
  page_left -= bytes + 1;
  return kept;
}

Pointed& place_of(const char* at) noexcept {
  constexpr uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
  constexpr uint32_t kBits = 16;
  return tables->pointed[(reinterpret_cast<uintptr_t>(at) * kSpread) >> (64U - kBits)];
}

/// The place of a text: where it stands, or where it would.
Numbered& place_of(const char* text, uint64_t hash) noexcept {
  auto i = static_cast<uint32_t>((hash ^ (hash >> 32U)) % Tables::kPlaces);
  const auto is_it = [&](const Numbered& n) { return n.hash == hash && strcmp(n.text, text) == 0; };
  while (tables->texts[i].number != 0 && !is_it(tables->texts[i])) i = (i + 1) % Tables::kPlaces;
  return tables->texts[i];
}

bool report_part(uint32_t number, uint16_t part, const Text& text) noexcept {
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::CudaNameBody)) + wire::padded(text.bytes);
  std::byte* const at = begin_worker_record(wire::Kind::cuda_name, bytes, 0);
  if (at == nullptr) return false;
  put_text(put(at, wire::CudaNameBody{number, text.bytes, part}), text);
  commit_record(bytes);
  return true;
}

/// Templates have names of tens of thousands of bytes, and only a whole one can be demangled.
bool report(uint32_t number, const char* text, size_t bytes) noexcept {
  uint16_t part = 0;
  do {
    const auto now = static_cast<uint16_t>(bytes < wire::kMaxText ? bytes : wire::kMaxText);
    if (!report_part(number, part, {text, now})) return false;
    text += now;
    bytes -= now;
  } while (bytes > 0 && ++part < UINT16_MAX);
  return true;
}

/// The text with the next number, once it is reported. Number 0 where there is no room for it.
Numbered add(const char* text, uint64_t hash) noexcept {
  const size_t bytes = strlen(text);
  const char* const kept = reported < kMaxTexts ? keep(text, bytes) : nullptr;
  if (kept == nullptr || !report(reported + 1, text, bytes)) return {};
  return {kept, hash, ++reported};
}

/// Of one that was met under another pointer too: programs that load modules again have their names elsewhere.
Numbered numbered(const char* text) noexcept {
  Pointed& pointed = place_of(text);
  const bool is_same = pointed.known.number != 0 && pointed.at == text && strcmp(pointed.known.text, text) == 0;
  if (is_same) return pointed.known;
  const uint64_t hash = wire::fnv(text);
  Numbered& known = place_of(text, hash);
  if (known.number == 0) known = add(text, hash);
  pointed = {text, known};
  return known;
}

}  // namespace

uint32_t number_of(const char* text) noexcept {
  if (text == nullptr) return 0;
  if (tables == nullptr) tables = new_array<Tables>(1);
  const Numbered known = tables == nullptr ? Numbered{} : numbered(text);
  if (known.number == 0) ++numberless;
  return known.number;
}

uint64_t numberless_texts() noexcept { return numberless; }

void report_call_name(uint16_t domain, uint32_t call) noexcept {
  constexpr uint32_t kMaxCalls = 4096;
  constexpr uint16_t kDomains = 3;
  static constinit bool is_reported[kDomains][kMaxCalls] = {};
  const Library* const cupti = library();
  const char* name = nullptr;
  if (domain >= kDomains || call >= kMaxCalls || is_reported[domain][call] || cupti == nullptr) return;
  if (cupti->callback_name(static_cast<Domain>(domain), call, &name) != Result::ok || name == nullptr) return;
  const Text text = inject::text_of(name);
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::DefinitionBody)) + wire::padded(text.bytes);
  std::byte* const at = begin_worker_record(wire::Kind::cuda_api_name, bytes, domain);
  if (at == nullptr) return;
  put_text(put(at, wire::DefinitionBody{call, text.bytes, 0}), text);
  commit_record(bytes);
  is_reported[domain][call] = true;
}

}  // namespace sonde::inject::cupti
