#include <atomic>
#include <cerrno>
#include <type_traits>

#include "inject/attachment.h"
#include "inject/encode.h"
#include "inject/export.h"
#include "inject/nccl/abi.h"
#include "inject/nccl/registered_texts.h"
#include "inject/text_record.h"
#include "inject/thread_chunk.h"
#include "wire/nccl_record.h"

/// NCCL loads this library as its profiler plugin (NCCL_PROFILER_PLUGIN) and calls it from any thread, with handles of
/// events that may have ended. So handles are numbers, and each call writes one record: nothing is allocated, waited
/// for or looked up, and no order of calls can do harm.
namespace sonde::inject::nccl {
namespace {

/// What a handle means: in its lowest three bits, below the event's number. 0 is NCCL's own "no event".
enum class Meaning : uintptr_t {
  none,
  operation,
  launch,
  group,
  host_timed_channel,
  gpu_timed_channel,
  call,
  captured
};
constexpr unsigned kMeaningBits = 3;
constexpr uintptr_t kMeaningMask = (1U << kMeaningBits) - 1;

constinit std::atomic<uint64_t> last_event{0};
constinit std::atomic<uint64_t> last_communicator{0};

void* handle_of(uint64_t event, Meaning meaning) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): NCCL only gives it back.
  return reinterpret_cast<void*>(event << kMeaningBits | static_cast<uintptr_t>(meaning));
}
uint64_t event_of(const void* handle) noexcept { return reinterpret_cast<uintptr_t>(handle) >> kMeaningBits; }
Meaning meaning_of(const void* handle) noexcept {
  return static_cast<Meaning>(reinterpret_cast<uintptr_t>(handle) & kMeaningMask);
}
uint64_t next_event() noexcept { return last_event.fetch_add(1, std::memory_order_relaxed) + 1; }

template <typename Body>
void write_record(wire::Kind kind, const Body& body) noexcept {
  constexpr auto kBytes = static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(Body));
  std::byte* const at = begin_record(kBytes);
  if (at == nullptr) return;
  put(put_head(at, kind, kBytes, 0, 0, now_ns()), body);
  commit_record(kBytes);
}

#define SONDE_NCCL_NAME(what, number, name) \
  if (kind == Numbered::what && value == (number)) return name;
enum class Numbered : uint8_t { function, datatype, algorithm, protocol };
const char* name_of(Numbered kind, uint8_t value) noexcept {
#include "inject/nccl/names.inc"
  return nullptr;
}
#undef SONDE_NCCL_NAME

const char* name_of(Numbered, const char* name) noexcept { return name; }

uint32_t text_number(Numbered kind, auto value) noexcept { return number_of(name_of(kind, value)); }

/// What versions 1 to 3 say of the communicator with each operation.
void put_communicator(wire::NcclStartBody& body, const auto& operation) noexcept {
  if constexpr (requires { operation.hash; }) {
    body.hash = operation.hash;
    body.name = number_of(operation.name);
  }
}

/// The parent was the group until version 4, and is the program's call since.
void put_parent(wire::NcclStartBody& body, const void* parent, const auto& operation) noexcept {
  if constexpr (requires { operation.group; }) {
    body.group = event_of(operation.group);
    if (meaning_of(parent) == Meaning::captured) body.flags |= wire::kNcclCaptured;
  } else {
    body.group = event_of(parent);
  }
}

void put_operation(wire::NcclStartBody& body, const auto& operation) noexcept {
  body.count = operation.count;
  body.function = text_number(Numbered::function, operation.function);
  body.datatype = text_number(Numbered::datatype, operation.datatype);
  if constexpr (requires { operation.sequence; }) body.sequence = operation.sequence;
  if constexpr (requires { operation.root; }) body.peer = operation.root;
  if constexpr (requires { operation.peer; }) body.peer = operation.peer;
  if constexpr (requires { operation.channels; }) body.channels = operation.channels;
  if constexpr (requires { operation.warps; }) body.warps = operation.warps;
  if constexpr (requires { operation.algorithm; }) {
    body.algorithm = text_number(Numbered::algorithm, operation.algorithm);
    body.protocol = text_number(Numbered::protocol, operation.protocol);
  }
}

template <typename Event>
wire::NcclStartBody body_of(void* context, const Event& event, wire::NcclEvent type, uint64_t number) noexcept {
  wire::NcclStartBody body{};
  body.event = number;
  body.communicator = reinterpret_cast<uintptr_t>(context);
  body.rank = event.rank;
  body.type = type;
  return body;
}

void* start_operation(void* context, const auto& event, wire::NcclEvent type, const auto& operation) noexcept {
  const uint64_t number = next_event();
  if (records(wire::kWantNccl)) {
    wire::NcclStartBody body = body_of(context, event, type, number);
    put_operation(body, operation);
    put_communicator(body, operation);
    put_parent(body, event.parent, operation);
    write_record(wire::Kind::nccl_start, body);
  }
  return handle_of(number, Meaning::operation);
}

void* start_copy_collective(void* context, const auto& event) noexcept {
  const uint64_t number = next_event();
  if (records(wire::kWantNccl)) {
    wire::NcclStartBody body = body_of(context, event, wire::NcclEvent::copy_collective, number);
    put_operation(body, event.copy_collective);
    if (meaning_of(event.parent) == Meaning::captured) body.flags |= wire::kNcclCaptured;
    write_record(wire::Kind::nccl_start, body);
  }
  return handle_of(number, Meaning::operation);
}

void* start_launch(void* context, const auto& event) noexcept {
  const uint64_t number = next_event();
  if (records(wire::kWantNccl)) {
    write_record(wire::Kind::nccl_start, body_of(context, event, wire::NcclEvent::kernel_launch, number));
  }
  return handle_of(number, Meaning::launch);
}

void* start_channel(void* context, const auto& event) noexcept {
  constexpr bool kHasTimer = requires { event.kernel_channel.gpu_ns; };
  const uint64_t number = next_event();
  if (records(wire::kWantNccl)) {
    wire::NcclStartBody body = body_of(context, event, wire::NcclEvent::kernel_channel, number);
    body.parent = event_of(event.parent);
    body.channels = event.kernel_channel.channel;
    if constexpr (kHasTimer) body.gpu_ns = event.kernel_channel.gpu_ns;
    write_record(wire::Kind::nccl_start, body);
  }
  return handle_of(number, kHasTimer ? Meaning::gpu_timed_channel : Meaning::host_timed_channel);
}

/// A call needs no record: what is asked of it is whether it was captured into a graph.
void* handle_of_call(bool captured) noexcept { return handle_of(0, captured ? Meaning::captured : Meaning::call); }

template <typename Event>
void* start_event(void* context, const Event& event) noexcept {
  switch (uint64_t{event.type}) {
    case kGroup: return handle_of(next_event(), Meaning::group);
    case kCollective: return start_operation(context, event, wire::NcclEvent::collective, event.collective);
    case kPointToPoint: return start_operation(context, event, wire::NcclEvent::point_to_point, event.point_to_point);
    case kKernelChannel:
      if constexpr (requires { event.kernel_channel; }) return start_channel(context, event);
      break;
    case kCollectiveCall:
      if constexpr (requires { event.collective_call; }) return handle_of_call(event.collective_call.captured);
      break;
    case kPointToPointCall:
      if constexpr (requires { event.point_to_point_call; }) return handle_of_call(event.point_to_point_call.captured);
      break;
    case kKernelLaunch:
      if constexpr (requires { event.collective_call; }) return start_launch(context, event);
      break;
    case kCopyCollective:
      if constexpr (requires { event.copy_collective; }) return start_copy_collective(context, event);
      break;
    default: break;
  }
  return nullptr;
}

template <typename Event>
Result start(void* context, void** handle, Event* event) noexcept {
  if (handle == nullptr) return kSuccess;
  const int error = errno;
  *handle = event == nullptr ? nullptr : start_event(context, *event);
  errno = error;
  return kSuccess;
}

void write_stop(const void* handle, uint64_t gpu_ns) noexcept {
  if (!records(wire::kWantNccl)) return;
  write_record(wire::Kind::nccl_stop, wire::NcclStopBody{event_of(handle), gpu_ns});
}

/// The end of a channel that has the GPU's time was told by its state.
Result stop(void* handle) noexcept {
  const int error = errno;
  const Meaning meaning = meaning_of(handle);
  const bool has_end =
      meaning == Meaning::operation || meaning == Meaning::launch || meaning == Meaning::host_timed_channel;
  if (has_end) write_stop(handle, 0);
  errno = error;
  return kSuccess;
}

Result change(void* handle, int state, void* arguments) noexcept {
  const int error = errno;
  if (state == kKernelChannelStop && arguments != nullptr && meaning_of(handle) == Meaning::gpu_timed_channel) {
    write_stop(handle, static_cast<const v4::KernelChannelStop*>(arguments)->gpu_ns);
  }
  errno = error;
  return kSuccess;
}

Result finalize(void*) noexcept { return kSuccess; }

/// 0 where the recorder does not ask for NCCL.
int wanted_events() noexcept {
  const uint32_t wanted = attachment.header == nullptr ? 0 : attachment.header->wanted;
  if ((wanted & wire::kWantNccl) == 0) return 0;
  constexpr uint64_t kOperations = kGroup | kCollective | kPointToPoint | kGroupCall | kCollectiveCall |
                                   kPointToPointCall | kKernelLaunch | kCopyCollective;
  return static_cast<int>(kOperations | ((wanted & wire::kWantNcclKernels) != 0 ? uint64_t{kKernelChannel} : 0));
}

/// `body.ranks` is 0 where the interface does not say.
Result begin(void** context, int* mask, wire::NcclCommunicatorBody body, const char* name) noexcept {
  if (context == nullptr || mask == nullptr) return kSuccess;
  const int error = errno;
  body.communicator = last_communicator.fetch_add(1, std::memory_order_relaxed) + 1;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): NCCL only gives it back.
  *context = reinterpret_cast<void*>(static_cast<uintptr_t>(body.communicator));
  *mask = wanted_events();
  if (*mask != 0 && phase() != wire::Phase::ended) {
    write_with_text({wire::Kind::nccl_communicator, 0, 0, 0, now_ns()}, body, text_of(name));
  }
  errno = error;
  return kSuccess;
}

template <uint16_t version>
Result init_v1(void** context, int* mask) noexcept {
  wire::NcclCommunicatorBody body{};
  body.interface = version;
  return begin(context, mask, body, nullptr);
}

wire::NcclCommunicatorBody described(uint16_t version, uint64_t hash, int nodes, int ranks, int rank) noexcept {
  wire::NcclCommunicatorBody body{};
  body.hash = hash;
  body.ranks = ranks;
  body.rank = rank;
  body.nodes = nodes;
  body.interface = version;
  return body;
}

Result init_v4(void** context, int* mask, const char* name, uint64_t hash, int nodes, int ranks, int rank,
               void*) noexcept {
  return begin(context, mask, described(4, hash, nodes, ranks, rank), name);
}

template <uint16_t version>
Result init_v5(void** context, uint64_t hash, int* mask, const char* name, int nodes, int ranks, int rank,
               void*) noexcept {
  return begin(context, mask, described(version, hash, nodes, ranks, rank), name);
}

constexpr const char* kName = "Sonde";

}  // namespace
}  // namespace sonde::inject::nccl

// NOLINTBEGIN(readability-identifier-naming): the names are NCCL's.
extern "C" {
namespace sonde::inject::nccl {
SONDE_EXPORT extern const Profiler<v1::Event, InitV1> ncclProfiler_v1;
SONDE_EXPORT extern const Profiler<v2::Event, InitV1> ncclProfiler_v2;
SONDE_EXPORT extern const Profiler<v3::Event, InitV1> ncclProfiler_v3;
SONDE_EXPORT extern const Profiler<v4::Event, InitV4> ncclProfiler_v4;
SONDE_EXPORT extern const Profiler<v5::Event, InitV5> ncclProfiler_v5;
SONDE_EXPORT extern const Profiler<v6::Event, InitV5> ncclProfiler_v6;

constinit const Profiler<v1::Event, InitV1> ncclProfiler_v1 = {kName, init_v1<1>, start<v1::Event>,
                                                               stop,  change,     finalize};
constinit const Profiler<v2::Event, InitV1> ncclProfiler_v2 = {kName, init_v1<2>, start<v2::Event>,
                                                               stop,  change,     finalize};
constinit const Profiler<v3::Event, InitV1> ncclProfiler_v3 = {kName, init_v1<3>, start<v3::Event>,
                                                               stop,  change,     finalize};
constinit const Profiler<v4::Event, InitV4> ncclProfiler_v4 = {kName, init_v4, start<v4::Event>,
                                                               stop,  change,  finalize};
constinit const Profiler<v5::Event, InitV5> ncclProfiler_v5 = {kName, init_v5<5>, start<v5::Event>,
                                                               stop,  change,     finalize};
constinit const Profiler<v6::Event, InitV5> ncclProfiler_v6 = {kName, init_v5<6>, start<v6::Event>,
                                                               stop,  change,     finalize};
}  // namespace sonde::inject::nccl
}
// NOLINTEND(readability-identifier-naming)
