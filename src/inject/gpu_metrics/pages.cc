#include "inject/gpu_metrics/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sonde::inject::gpu_metrics {

uint8_t* take_pages(size_t bytes) noexcept {
  const long at = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == -1 ? nullptr : reinterpret_cast<uint8_t*>(at);
}

void give_pages_back(uint8_t* pages, size_t bytes) noexcept {
  if (pages != nullptr) syscall(SYS_munmap, pages, bytes);
}

}  // namespace sonde::inject::gpu_metrics
