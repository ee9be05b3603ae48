#include "record/rounds/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/system/system_reason.h"
#include "record/rounds/file_limit.h"

namespace sonde::record {
namespace {

uint64_t random_number() {
  uint64_t number = 0;
  const ssize_t filled = getrandom(&number, sizeof number, 0);
  return filled == sizeof number ? number : static_cast<uint64_t>(getpid());
}

uint64_t pid_namespace() {
  struct stat of_namespace{};
  return stat("/proc/self/ns/pid", &of_namespace) == 0 ? of_namespace.st_ino : 0;
}

/// As many names as there is room for; the command line takes no more.
void fill_gpu_metrics(wire::GpuMetricsWanted& wanted, const GpuMetricsOptions& options) {
  wanted.frequency_hz = options.frequency_hz;
  wanted.devices = options.devices;
  std::string names;
  for (const std::string& name : options.names) names += name + '\n';
  names.resize(std::min(names.size(), sizeof wanted.names - 1));
  std::ranges::copy(names, wanted.names);
}

void fill_header(wire::Header& header, const Wanted& wanted, uint64_t nonce) {
  header.magic = wire::kMagic;
  header.version = wire::kVersion;
  header.chunk_bytes = wire::kChunkBytes;
  header.chunks = wire::kChunks;
  header.wanted = wanted_bits(wanted);
  header.nonce = nonce;
  header.pid_namespace = pid_namespace();
  header.os_threshold_ns = wanted.os_threshold_ns;
  header.cuda = wanted.cuda_options;
  fill_gpu_metrics(header.gpu_metrics, wanted.gpu_metrics);
}

}  // namespace

uint32_t wanted_bits(const Wanted& wanted) {
  return (wanted.nvtx ? wire::kWantNvtx : 0U) | (wanted.os_calls ? wire::kWantOsCalls : 0U) |
         (wanted.cuda ? wire::kWantCuda : 0U) | (wanted.libraries.empty() ? 0U : wire::kWantLibraries) |
         (wanted.metrics ? wire::kWantMetrics : 0U) | (wanted.gpu_metrics.any() ? wire::kWantGpuMetrics : 0U) |
         (wanted.nccl.operations ? wire::kWantNccl : 0U) | (wanted.nccl.kernels ? wire::kWantNcclKernels : 0U);
}

Result<Mapping> Mapping::create(const Wanted& wanted) {
  const int file = memfd_create("sonde-record", MFD_CLOEXEC);
  if (file < 0) return fail("cannot record: no shared memory: {}", system_reason(errno));
  const FileLimitGuard guard;
  const RaisedFileLimit limit(wire::kMappingBytes);
  // All of it is taken now: a page that is missing later would end the program that writes to it.
  const int missing = posix_fallocate(file, 0, wire::kMappingBytes);
  void* at =
      missing == 0 ? mmap(nullptr, wire::kMappingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (at == MAP_FAILED) {
    const int error = missing != 0 ? missing : errno;
    close(file);
    return fail("cannot record: no {} MB of shared memory: {}", wire::kMappingBytes >> 20U, file_reason(error));
  }
  const uint64_t nonce = random_number();
  auto* bytes = static_cast<std::byte*>(at);
  fill_header(*new (bytes) wire::Header{}, wanted, nonce);
  return Mapping(file, bytes, fmt::format("/proc/{}/fd/{}:{:x}", getpid(), file, nonce));
}

Mapping::Mapping(Mapping&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      bytes_(std::exchange(other.bytes_, nullptr)),
      place_(std::move(other.place_)) {}

Mapping::~Mapping() {
  if (bytes_ != nullptr) munmap(bytes_, wire::kMappingBytes);
  if (file_ >= 0) close(file_);
}

}  // namespace sonde::record
