#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "faults.h"
#include "machine.h"
#include "version.h"

/// What the parts of the stand-in CUPTI have of each other.
namespace fake_cuda::cupti {

#define EXPORT extern "C" __attribute__((visibility("default")))

/// CUptiResult
enum Result : uint32_t {
  kSuccess = 0,
  kInvalidParameter = 1,
  kInvalidContext = 3,
  kInvalidOperation = 7,
  kMaxLimitReached = 12,
  kNotReady = 13,
  kNotInitialized = 15,
  kInvalidKind = 21,
  kNotCompatible = 14,
  kMultipleSubscribers = 39,
  kUnknown = 999,
};

/// The driver; null: it is not loaded, or this process is a child that was forked.
const Table* driver();

bool is_forked();

/// On the client's clock, or CUPTI's own.
uint64_t timestamp();

/// Of a time of CLOCK_MONOTONIC.
uint64_t on_client_clock(int64_t time);
bool has_client_clock();

/// Listens to the driver from now on. False: there is none.
bool attach();

bool is_enabled(Kind kind);

/// Writes a record that is whole once `complete` (CLOCK_MONOTONIC) is over; `times` is where its start and end stand,
/// which are given as 0 when it is taken before; none: -1. Never with a lock held.
void write(const void* record, size_t bytes, int64_t complete, int times);

template <typename T>
void write(const T& record) {
  write(&record, sizeof record, 0, -1);
}

/// Of a record at `kind`; 0: no such kind.
size_t record_bytes(uint32_t kind);

void tell_devices();

void record_call(const ApiCall& call);
void record_operation(const Operation& operation);
/// Kernels make the SMs of a device that is sampled busy.
void note_for_sampling(const Operation& operation);
/// They lie in some of its instructions.
void note_for_pc_sampling(const Operation& operation);
/// They run some of their instructions more often than others.
void note_for_sass_metrics(const Operation& operation);
/// Code that a context loads when it is made: that of the file SONDE_FAKE_CUBIN.
void load_code(const void* context);
/// CUPTI's checksum of it; 0: none is loaded.
uint64_t loaded_code();
/// Who has the counters of the process: one alone can.
enum class Counters : uint32_t { nobody, range_profiler, pc_sampling, sass_metrics };
extern std::atomic<Counters> counters_of;
/// Whether the host API was initialized for a chip.
extern std::atomic<bool> knows_chip;
void record_context(const ContextInfo& context);
void record_stream(const StreamInfo& stream);

/// Calls of the client's callback, as far as they are enabled.
void call_client(ApiCall& call, bool is_exit);
void tell_resource(uint32_t id, const void* context, const void* handle, const void* descriptor);
void tell_graph(uint32_t id, const GraphInfo& graph);
void tell_synchronized(uint32_t id, const void* context, const void* stream);
void forget_subscriber();
[[nodiscard]] bool has_subscriber();
/// Between cuptiFinalize() and the next subscriber, what calls here is wrong, and is said on standard error.
void note_call(const char* function);
void forget_kinds();

/// Kernels on their way to a stream, on the thread that launches them and before their time begins: for parts that
/// measure them. `call` is the driver's.
using LaunchObserver = void (*)(const ApiCall& call);
extern std::atomic<LaunchObserver> launch_observer;

}  // namespace fake_cuda::cupti
