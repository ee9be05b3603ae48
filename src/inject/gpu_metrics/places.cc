#include "inject/gpu_metrics/places.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "inject/attachment.h"
#include "wire/fnv.h"

namespace sonde::inject::gpu_metrics {
namespace {

/// Never 0.
uint64_t number_of(const uint8_t (&uuid)[16]) noexcept {
  uint64_t number = wire::kFnvBasis;
  for (const uint8_t byte : uuid) number = wire::add_to_fnv(number, byte);
  return number == 0 ? 1 : number;
}

uint32_t own_process() noexcept { return static_cast<uint32_t>(syscall(SYS_getpid)); }

/// Of a process in another pid namespace nobody here can tell.
bool is_gone(uint32_t process) noexcept {
  return !attachment.foreign.load() && syscall(SYS_kill, process, 0) != 0 && errno == ESRCH;
}

wire::SamplerPlace* place_of(uint64_t gpu) noexcept {
  for (wire::SamplerPlace& place : attachment.header->samplers) {
    uint64_t found = 0;
    if (place.gpu.compare_exchange_strong(found, gpu) || found == gpu) return &place;
  }
  return nullptr;
}

}  // namespace

bool take_place(const uint8_t (&uuid)[16]) noexcept {
  wire::SamplerPlace* const place = place_of(number_of(uuid));
  if (place == nullptr) return false;
  uint32_t holder = 0;
  if (place->process.compare_exchange_strong(holder, own_process()) || holder == own_process()) return true;
  return is_gone(holder) && place->process.compare_exchange_strong(holder, own_process());
}

void give_place_back(const uint8_t (&uuid)[16]) noexcept {
  wire::SamplerPlace* const place = place_of(number_of(uuid));
  uint32_t own = own_process();
  if (place != nullptr) place->process.compare_exchange_strong(own, 0);
}

}  // namespace sonde::inject::gpu_metrics
