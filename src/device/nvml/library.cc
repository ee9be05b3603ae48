#include "device/nvml/library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace sonde::device::nvml {
namespace {

template <typename Function>
void find(void* library, const char* symbol, Function& function) {
  // POSIX lets dlsym's result be a function.
  function = reinterpret_cast<Function>(dlsym(library, symbol));
}

std::string path_or_usual(const std::string& path) {
  if (!path.empty()) return path;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
  const char* const chosen = std::getenv("SONDE_NVML");
  return chosen == nullptr || *chosen == '\0' ? "libnvidia-ml.so.1" : chosen;
}

Result<Library> load(const std::string& given) {
  const std::string path = path_or_usual(given);
  void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (loaded == nullptr) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps the text a thread
    const char* const why = dlerror();
    return fail(
        "NVML (NVIDIA's management library) cannot be loaded ({}): install the NVIDIA driver; in a container, request "
        "the GPUs (docker run --gpus all, or the capability 'utility')",
        why == nullptr ? path : why);
  }
  Library library;
#define SONDE_NVML(member, symbol, ...) find(loaded, symbol, library.member);
#include "device/nvml/functions.inc"
  if (library.init == nullptr || library.device_count == nullptr || library.handle_by_index == nullptr) {
    return fail("{} is not a usable NVML library: it lacks nvmlInit_v2 (not NVML, or older than 2012)", path);
  }
  return library;
}

}  // namespace

Result<OpenLibrary> open(const std::string& given) {
  auto library = load(given);
  if (!library) return std::unexpected(std::move(library).error());
  Return code = library->init();
  unsigned count = 0;
  if (code == Return::success) code = library->device_count(&count);
  if (code == Return::gpu_not_found) code = Return::success;
  if (code != Return::success) return std::unexpected(Error{failure_of(code, -1).message});
  return OpenLibrary{.library = *library, .gpus = count};
}

}  // namespace sonde::device::nvml
