#include "inject/cupti/back_traces.h"

#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "inject/code_maps.h"
#include "inject/cupti/profiler_range.h"
#include "inject/cupti/subscriber.h"
#include "inject/encode.h"
#include "inject/thread_chunk.h"
#include "wire/cuda_record.h"

namespace sonde::inject::cupti {
namespace {

using wire::CudaCalls;

constexpr uint32_t kMaxCalls = 4096;
constexpr uint32_t kDomains = 3;
constexpr uint8_t kNotWanted = 0xFF;

/// Of CudaCalls, by domain and number; kNotWanted for those without backtraces.
constinit uint8_t sorts[kDomains][kMaxCalls] = {};
constinit std::atomic<bool> is_on{false};

bool any_wanted() noexcept {
  return std::ranges::any_of(attachment.header->cuda.backtrace_ns, [](int64_t threshold) { return threshold >= 0; });
}

bool has(const char* name, const char* part) noexcept { return strstr(name, part) != nullptr; }

CudaCalls sort_of(const char* name) noexcept {
  if (has(name, "Launch")) return CudaCalls::launches;
  if (has(name, "Synchronize") || has(name, "WaitEvent")) return CudaCalls::synchronizations;
  const bool memory = has(name, "Memcpy") || has(name, "Memset") || has(name, "Malloc") || has(name, "MemAlloc") ||
                      has(name, "Free") || has(name, "MemPrefetch");
  return memory ? CudaCalls::memory : CudaCalls::others;
}

int64_t threshold_of(CudaCalls calls) noexcept {
  return attachment.header->cuda.backtrace_ns[static_cast<uint32_t>(calls)];
}

uint8_t wanted_sort(const Library& library, Domain domain, uint32_t call) noexcept {
  const char* name = nullptr;
  if (library.callback_name(domain, call, &name) != Result::ok || name == nullptr) return kNotWanted;
  const CudaCalls calls = sort_of(name);
  return threshold_of(calls) >= 0 ? static_cast<uint8_t>(calls) : kNotWanted;
}

void write_chain(uint32_t correlation, void* const* frames, uint32_t count) noexcept {
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::CallChainBody) + count * sizeof(uint64_t));
  std::byte* at = begin_record(bytes);
  if (at == nullptr) return;
  at = put_head(at, wire::Kind::call_chain, bytes, 0, 0, now_ns());
  at = put(at, wire::CallChainBody{correlation, count});
  memcpy(at, frames, count * sizeof(uint64_t));
  commit_record(bytes);
}

/// The addresses of a library.
struct Extent {
  uint64_t begin = 0;
  uint64_t end = 0;
  [[nodiscard]] bool holds(uint64_t address) const noexcept { return begin <= address && address < end; }
};

constinit Extent own;
constinit Extent cupti;

Extent extent_of(const dl_phdr_info& library) noexcept {
  Extent extent{UINT64_MAX, 0};
  for (uint32_t i = 0; i < library.dlpi_phnum; ++i) {
    const auto& segment = library.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t begin = library.dlpi_addr + segment.p_vaddr;
    extent.begin = std::min(extent.begin, begin);
    extent.end = std::max(extent.end, begin + segment.p_memsz);
  }
  return extent;
}

/// Of the library that holds an address; empty where none does.
Extent library_at(const void* address) noexcept {
  struct Search {
    uint64_t address;
    Extent found;
  } search{reinterpret_cast<uint64_t>(address), {}};
  const auto look = [](dl_phdr_info* info, size_t, void* raw) {
    auto& wanted = *static_cast<Search*>(raw);
    const Extent extent = extent_of(*info);
    if (extent.holds(wanted.address)) wanted.found = extent;
    return extent.holds(wanted.address) ? 1 : 0;
  };
  static_cast<void>(dl_iterate_phdr(look, &search));
  return search.found;
}

bool is_of_recording(const void* address) noexcept {
  const auto place = reinterpret_cast<uint64_t>(address);
  return own.holds(place) || cupti.holds(place);
}

/// Without the innermost frames, which are of the recording.
void take_chain(uint32_t correlation) noexcept {
  report_code();
  void* frames[wire::kMaxFrames];
  const int count = backtrace(frames, static_cast<int>(wire::kMaxFrames));
  int first = 0;
  while (first < count && is_of_recording(frames[first])) ++first;
  if (first < count) write_chain(correlation, frames + first, static_cast<uint32_t>(count - first));
}

void on_traced_call(Domain domain, uint32_t id, const void* raw) noexcept {
  const auto place = static_cast<uint32_t>(domain);
  if (!is_on.load(std::memory_order_relaxed) || place >= kDomains || id >= kMaxCalls) return;
  const auto& data = *static_cast<const CallbackData*>(raw);
  const uint8_t sort = sorts[place][id];
  if (sort == kNotWanted || data.correlation_data == nullptr) return;
  if (data.site == 0) {
    *data.correlation_data = static_cast<uint64_t>(now_ns());
  } else if (now_ns() - static_cast<int64_t>(*data.correlation_data) >= threshold_of(static_cast<CudaCalls>(sort))) {
    take_chain(data.correlation);
  }
}

}  // namespace

void watch_for_back_traces(const Library& library) noexcept {
  memset(sorts, kNotWanted, sizeof sorts);
  if (!any_wanted()) return;
  void* frame = nullptr;
  static_cast<void>(backtrace(&frame, 1));  // loads the unwinder, which must not happen within a call
  own = library_at(reinterpret_cast<const void*>(&write_chain));
  cupti = library_at(library.subscribe.address());
  add_handler(on_traced_call);
  for (uint32_t domain = 1; domain < kDomains; ++domain) {
    for (uint32_t call = 1; call < kMaxCalls; ++call) {
      sorts[domain][call] = wanted_sort(library, static_cast<Domain>(domain), call);
    }
  }
}

void set_back_traces(const Library& library, bool on) noexcept {
  if (!any_wanted()) return;
  is_on.store(on, std::memory_order_relaxed);
  for (uint32_t call = 1; call < kMaxCalls; ++call) {
    for (uint32_t place = 1; place < kDomains; ++place) {
      const auto domain = static_cast<Domain>(place);
      const bool stays = !on && is_profiler_range(domain, call);
      if (sorts[place][call] != kNotWanted && !stays) static_cast<void>(watch(library, domain, call, on));
    }
  }
}

}  // namespace sonde::inject::cupti
