#include "inject/cupti/back_traces.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "inject/cupti/subscriber.h"
#include "inject/encode.h"
#include "inject/thread_chunk.h"
#include "wire/cuda_record.h"

namespace sonde::inject::cupti {
namespace {

using wire::CudaCalls;

constexpr uint32_t kMostCalls = 4096;
constexpr uint32_t kDomains = 3;
constexpr uint8_t kNotWanted = 0xFF;

/// Of CudaCalls, by domain and number; kNotWanted for those without back traces.
constinit uint8_t sorts[kDomains][kMostCalls] = {};
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

/// Whether an address is this library's or CUPTI's.
bool is_of_recording(const void* address) noexcept {
  Dl_info frame{};
  Dl_info own{};
  Dl_info cupti{};
  if (dladdr(address, &frame) == 0 || dladdr(reinterpret_cast<void*>(&write_chain), &own) == 0) return false;
  const bool known = dladdr(reinterpret_cast<void*>(library()->subscribe), &cupti) != 0;
  return frame.dli_fbase == own.dli_fbase || (known && frame.dli_fbase == cupti.dli_fbase);
}

/// Without the innermost frames, which are of the recording.
void take_chain(uint32_t correlation) noexcept {
  void* frames[wire::kMostFrames];
  const int count = backtrace(frames, static_cast<int>(wire::kMostFrames));
  int first = 0;
  while (first < count && is_of_recording(frames[first])) ++first;
  if (first < count) write_chain(correlation, frames + first, static_cast<uint32_t>(count - first));
}

void on_call(Domain domain, uint32_t id, const void* raw) noexcept {
  const auto place = static_cast<uint32_t>(domain);
  if (!is_on.load(std::memory_order_relaxed) || place >= kDomains || id >= kMostCalls) return;
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
  add_handler(on_call);
  for (uint32_t domain = 1; domain < kDomains; ++domain) {
    for (uint32_t call = 1; call < kMostCalls; ++call) {
      sorts[domain][call] = wanted_sort(library, static_cast<Domain>(domain), call);
    }
  }
}

void set_back_traces(const Library& library, bool on) noexcept {
  if (!any_wanted()) return;
  is_on.store(on, std::memory_order_relaxed);
  for (uint32_t call = 1; call < kMostCalls; ++call) {
    for (uint32_t domain = 1; domain < kDomains; ++domain) {
      if (sorts[domain][call] != kNotWanted) {
        static_cast<void>(watch(library, static_cast<Domain>(domain), call, on));
      }
    }
  }
}

}  // namespace sonde::inject::cupti
