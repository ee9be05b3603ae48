#include "synth/worker.h"

#include <fmt/format.h>

#include "synth/transformer.h"

namespace sonde::synth {
namespace {

constexpr int64_t kLayerBytes = kLayerParameters * 2;
constexpr int32_t kPrefetched = 2;

}  // namespace

uint32_t stream_id(uint16_t gpu, uint32_t index) {
  constexpr uint32_t kDefaultStream = 7;  // what CUPTI numbers the first context's null stream
  constexpr uint32_t kFirstCreated = 13;
  return gpu * 32U + (index == 0 ? kDefaultStream : kFirstCreated + index - 1);
}

LoaderLink add_loader(Program& program, uint16_t gpu) {
  const LoaderLink link{add_semaphore(program), add_semaphore(program, kPrefetched)};
  Builder b(program, fmt::format("data_loader_{}", gpu), gpu);
  b.to_before();
  b.os("mmap64", 9'000);
  b.os("pthread_create", 31'000);
  b.to_iteration();
  b.wait(link.slot, "sem_wait");
  b.os("openat64", 24'000);
  for (int i = 0; i < 4; ++i) b.os("read", 90'000);
  b.os("close", 2'100);
  b.host(320'000, "decode");
  b.os("poll", 60'000);
  b.post(link.ready);
  b.to_after();
  b.os("munmap", 12'000);
  return link;
}

void emit_start(Builder& b, uint16_t gpu, int layers, uint16_t stream) {
  b.to_before();
  b.os("openat64", 41'000);
  for (int i = 0; i < 6; ++i) b.os("ioctl", 63'000);
  b.os("mmap64", 15'000);
  for (const StreamInfo& s : b.program().streams) {
    if (s.gpu == gpu && !s.is_default) b.call(ApiCall::create_stream);
  }
  for (int i = 0; i < 4; ++i) b.call(ApiCall::create_event);
  b.call(ApiCall::allocate_host);
  for (int layer = 0; layer < layers; ++layer) {
    b.allocate(kLayerBytes, fmt::format("weights {}", layer));
    b.copy(CopyKind::host_to_device, kLayerBytes, MemoryKind::pageable, stream);
  }
  b.sync_device(stream);
}

void emit_end(Builder& b, int layers, uint16_t stream) {
  b.to_after();
  b.sync_device(stream);
  for (int layer = 0; layer < layers; ++layer) b.release(kLayerBytes, fmt::format("weights {}", layer));
}

void emit_warm_up_allocations(Builder& b) {
  for (int i = 0; i < 3; ++i) {
    Step step;
    step.kind = StepKind::allocate;
    step.call = ApiCall::allocate;
    step.amount = kOutputBytes * (4 << i);
    step.until = 2;
    b.add(step, fmt::format("buffer {}", i));
  }
}

}  // namespace sonde::synth
