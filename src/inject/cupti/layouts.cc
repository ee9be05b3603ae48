#include "inject/cupti/layouts.h"

#include <cstring>

/// Source: cupti_activity.h and cupti_activity_deprecated.h of CUDA 13.0; the latter says in which version a
/// structure ended. What came with CUDA 13.1 to 13.4 stands behind that, by the members that NVIDIA's reference of
/// CUPTI lists for these structures; nothing of it is taken. The versions are those of cupti_version.h: 15 is CUDA 11.2
/// to 11.4, 16 11.5, 17 11.6, 18 11.8, 19 12.0, 26 12.8, 130000 13.0. Where the headers do not say in which version a
/// structure grew, the smaller size stands.
namespace sonde::inject::cupti {
namespace {

using namespace wire;

constexpr uint32_t kAlways = kOldestVersion;
constexpr uint32_t kCuda116 = 17;
constexpr uint32_t kCuda118 = 18;
constexpr uint32_t kCuda120 = 19;
constexpr uint32_t kCuda122 = 20;
constexpr uint32_t kCuda128 = 26;
constexpr uint32_t kCuda132 = 130200;
constexpr uint32_t kCuda133 = 130300;
constexpr uint32_t kCuda134 = 130400;

#define SONDE_INTO(body, member) static_cast<uint16_t>(offsetof(body, member))

/// CUpti_ActivityKernel6 (to 11.5), 7 (11.6), 8 (11.8), 9 (12.0), 10 (13.0), 11 (13.1), 12 (13.3), 13 (13.4).
constexpr Field kKernelFields[] = {
    {16, 8, false, SONDE_INTO(KernelBody, start), kAlways},
    {24, 8, false, SONDE_INTO(KernelBody, end), kAlways},
    {40, 4, false, SONDE_INTO(KernelBody, place.device), kAlways},
    {44, 4, false, SONDE_INTO(KernelBody, place.context), kAlways},
    {48, 4, false, SONDE_INTO(KernelBody, place.stream), kAlways},
    {92, 4, false, SONDE_INTO(KernelBody, place.correlation), kAlways},
    {144, 8, false, SONDE_INTO(KernelBody, graph_node), kAlways},
    {96, 8, false, SONDE_INTO(KernelBody, grid_id), kAlways},
    {88, 4, false, SONDE_INTO(KernelBody, local_bytes_total), kAlways},
    {192, 8, false, SONDE_INTO(KernelBody, local_bytes_total), kCuda118},  // localMemoryTotal_v2: 64 bits wide
    {104, 8, true, SONDE_INTO(KernelBody, name), kAlways},
    {52, 12, false, SONDE_INTO(KernelBody, grid), kAlways},
    {64, 12, false, SONDE_INTO(KernelBody, block), kAlways},
    {176, 12, false, SONDE_INTO(KernelBody, cluster), kCuda118},
    {76, 4, false, SONDE_INTO(KernelBody, static_shared_bytes), kAlways},
    {80, 4, false, SONDE_INTO(KernelBody, dynamic_shared_bytes), kAlways},
    {140, 4, false, SONDE_INTO(KernelBody, shared_bytes_executed), kAlways},
    {84, 4, false, SONDE_INTO(KernelBody, local_bytes_per_thread), kAlways},
    {152, 4, false, SONDE_INTO(KernelBody, shared_limit_config), kAlways},
    {6, 2, false, SONDE_INTO(KernelBody, registers), kAlways},
    {4, 1, false, SONDE_INTO(KernelBody, cache_config), kAlways},
    {136, 1, false, SONDE_INTO(KernelBody, launch_type), kAlways},
};
constexpr Size kKernelSizes[] = {{kAlways, 168},           {kCuda116, 176}, {kCuda118, 200}, {kCuda120, 208},
                                 {kFirstLongVersion, 216}, {kCuda133, 224}, {kCuda134, 240}};

/// CUpti_ActivityMemcpy4 (to 11.5), 5 (11.6), 6 (12.8), 7 (13.4).
constexpr Field kCopyFields[] = {
    {16, 8, false, SONDE_INTO(CopyBody, start), kAlways},
    {24, 8, false, SONDE_INTO(CopyBody, end), kAlways},
    {32, 4, false, SONDE_INTO(CopyBody, place.device), kAlways},
    {36, 4, false, SONDE_INTO(CopyBody, place.context), kAlways},
    {40, 4, false, SONDE_INTO(CopyBody, place.stream), kAlways},
    {44, 4, false, SONDE_INTO(CopyBody, place.correlation), kAlways},
    {8, 8, false, SONDE_INTO(CopyBody, bytes), kAlways},
    {64, 8, false, SONDE_INTO(CopyBody, graph_node), kAlways},
    {4, 1, false, SONDE_INTO(CopyBody, kind), kAlways},
    {5, 1, false, SONDE_INTO(CopyBody, source), kAlways},
    {6, 1, false, SONDE_INTO(CopyBody, destination), kAlways},
};
constexpr Size kCopySizes[] = {{kAlways, 80}, {kCuda116, 88}, {kCuda128, 96}, {kCuda134, 112}};

/// CUpti_ActivityMemcpyPtoP3 (to 11.5), 4 (11.6).
constexpr Field kPeerCopyFields[] = {
    {16, 8, false, SONDE_INTO(PeerCopyBody, copy.start), kAlways},
    {24, 8, false, SONDE_INTO(PeerCopyBody, copy.end), kAlways},
    {32, 4, false, SONDE_INTO(PeerCopyBody, copy.place.device), kAlways},
    {36, 4, false, SONDE_INTO(PeerCopyBody, copy.place.context), kAlways},
    {40, 4, false, SONDE_INTO(PeerCopyBody, copy.place.stream), kAlways},
    {60, 4, false, SONDE_INTO(PeerCopyBody, copy.place.correlation), kAlways},
    {8, 8, false, SONDE_INTO(PeerCopyBody, copy.bytes), kAlways},
    {72, 8, false, SONDE_INTO(PeerCopyBody, copy.graph_node), kAlways},
    {4, 1, false, SONDE_INTO(PeerCopyBody, copy.kind), kAlways},
    {5, 1, false, SONDE_INTO(PeerCopyBody, copy.source), kAlways},
    {6, 1, false, SONDE_INTO(PeerCopyBody, copy.destination), kAlways},
    {44, 4, false, SONDE_INTO(PeerCopyBody, source_device), kAlways},
    {48, 4, false, SONDE_INTO(PeerCopyBody, source_context), kAlways},
    {52, 4, false, SONDE_INTO(PeerCopyBody, destination_device), kAlways},
    {56, 4, false, SONDE_INTO(PeerCopyBody, destination_context), kAlways},
};
constexpr Size kPeerCopySizes[] = {{kAlways, 88}, {kCuda116, 96}};

/// CUpti_ActivityMemset3 (to 11.5), 4 (11.6), 5 (13.4).
constexpr Field kSetFields[] = {
    {16, 8, false, SONDE_INTO(SetBody, start), kAlways},
    {24, 8, false, SONDE_INTO(SetBody, end), kAlways},
    {32, 4, false, SONDE_INTO(SetBody, place.device), kAlways},
    {36, 4, false, SONDE_INTO(SetBody, place.context), kAlways},
    {40, 4, false, SONDE_INTO(SetBody, place.stream), kAlways},
    {44, 4, false, SONDE_INTO(SetBody, place.correlation), kAlways},
    {8, 8, false, SONDE_INTO(SetBody, bytes), kAlways},
    {64, 8, false, SONDE_INTO(SetBody, graph_node), kAlways},
    {4, 4, false, SONDE_INTO(SetBody, value), kAlways},
    {50, 2, false, SONDE_INTO(SetBody, memory), kAlways},
};
constexpr Size kSetSizes[] = {{kAlways, 80}, {kCuda116, 88}, {kCuda134, 104}};

/// CUpti_ActivitySynchronization, 2 (12.8).
constexpr Field kSyncFields[] = {
    {8, 8, false, SONDE_INTO(SyncBody, start), kAlways},
    {16, 8, false, SONDE_INTO(SyncBody, end), kAlways},
    {28, 4, false, SONDE_INTO(SyncBody, place.context), kAlways},
    {32, 4, false, SONDE_INTO(SyncBody, place.stream), kAlways},
    {24, 4, false, SONDE_INTO(SyncBody, place.correlation), kAlways},
    {4, 4, false, SONDE_INTO(SyncBody, type), kAlways},
    {36, 4, false, SONDE_INTO(SyncBody, event), kAlways},
};
constexpr Size kSyncSizes[] = {{kAlways, 40}, {kCuda128, 56}};

/// CUpti_ActivityAPI.
constexpr Field kCallFields[] = {
    {8, 8, false, SONDE_INTO(ApiCallBody, start), kAlways},
    {16, 8, false, SONDE_INTO(ApiCallBody, end), kAlways},
    {28, 4, false, SONDE_INTO(ApiCallBody, thread), kAlways},
    {32, 4, false, SONDE_INTO(ApiCallBody, correlation), kAlways},
    {4, 4, false, SONDE_INTO(ApiCallBody, call), kAlways},
    {36, 4, false, SONDE_INTO(ApiCallBody, result), kAlways},
};
constexpr Size kCallSizes[] = {{kAlways, 40}};

/// CUpti_ActivityGraphTrace, 2.
constexpr Field kGraphFields[] = {
    {8, 8, false, SONDE_INTO(GraphLaunchBody, start), kAlways},
    {16, 8, false, SONDE_INTO(GraphLaunchBody, end), kAlways},
    {24, 4, false, SONDE_INTO(GraphLaunchBody, place.device), kAlways},
    {32, 4, false, SONDE_INTO(GraphLaunchBody, place.context), kAlways},
    {36, 4, false, SONDE_INTO(GraphLaunchBody, place.stream), kAlways},
    {4, 4, false, SONDE_INTO(GraphLaunchBody, place.correlation), kAlways},
    {28, 4, false, SONDE_INTO(GraphLaunchBody, graph), kAlways},
};
constexpr Size kGraphSizes[] = {{kAlways, 48}};

/// CUpti_ActivityUnifiedMemoryCounter2, 3 (12.8).
constexpr Field kUnifiedFields[] = {
    {16, 8, false, SONDE_INTO(UnifiedMemoryBody, start), kAlways},
    {24, 8, false, SONDE_INTO(UnifiedMemoryBody, end), kAlways},
    {8, 8, false, SONDE_INTO(UnifiedMemoryBody, value), kAlways},
    {32, 8, false, SONDE_INTO(UnifiedMemoryBody, address), kAlways},
    {4, 4, false, SONDE_INTO(UnifiedMemoryBody, kind), kAlways},
    {40, 4, false, SONDE_INTO(UnifiedMemoryBody, source), kAlways},
    {44, 4, false, SONDE_INTO(UnifiedMemoryBody, destination), kAlways},
    {56, 4, false, SONDE_INTO(UnifiedMemoryBody, flags), kAlways},
};
constexpr Size kUnifiedSizes[] = {{kAlways, 64}, {kCuda128, 104}};

/// CUpti_ActivityMemory2, 3, 4.
constexpr Field kMemoryFields[] = {
    {32, 8, false, SONDE_INTO(AllocationBody, start), kAlways},
    {16, 8, false, SONDE_INTO(AllocationBody, address), kAlways},
    {24, 8, false, SONDE_INTO(AllocationBody, bytes), kAlways},
    {4, 4, false, SONDE_INTO(AllocationBody, operation), kAlways},
    {8, 4, false, SONDE_INTO(AllocationBody, memory), kAlways},
    {52, 4, false, SONDE_INTO(AllocationBody, device), kAlways},
    {12, 4, false, SONDE_INTO(AllocationBody, correlation), kAlways},
    {64, 8, true, SONDE_INTO(AllocationBody, name), kAlways},
};
constexpr Size kMemorySizes[] = {{kAlways, 112}};

/// CUpti_ActivityOverhead, 2 (12.2), 3. The object's process and thread are at 12 and 16.
constexpr Field kOverheadFields[] = {
    {24, 8, false, SONDE_INTO(OverheadBody, start), kAlways},
    {32, 8, false, SONDE_INTO(OverheadBody, end), kAlways},
    {4, 4, false, SONDE_INTO(OverheadBody, kind), kAlways},
    {8, 4, false, SONDE_INTO(OverheadBody, object_kind), kAlways},
    {12, 4, false, SONDE_INTO(OverheadBody, process), kAlways},
    {16, 4, false, SONDE_INTO(OverheadBody, thread), kAlways},
    {40, 4, false, SONDE_INTO(OverheadBody, correlation), kCuda122},
};
constexpr Size kOverheadSizes[] = {{kAlways, 40}, {kCuda122, 48}};

/// CUpti_ActivityDevice3 (to 11.5), 4 (11.6), 5, 6 (13.2).
constexpr Field kDeviceFields[] = {
    {8, 8, false, SONDE_INTO(DeviceBody, memory_bandwidth_kb_per_s), kAlways},
    {16, 8, false, SONDE_INTO(DeviceBody, memory_bytes), kAlways},
    {112, 4, false, SONDE_INTO(DeviceBody, id), kAlways},
    {24, 4, false, SONDE_INTO(DeviceBody, constant_bytes), kAlways},
    {28, 4, false, SONDE_INTO(DeviceBody, l2_bytes), kAlways},
    {32, 4, false, SONDE_INTO(DeviceBody, threads_per_warp), kAlways},
    {36, 4, false, SONDE_INTO(DeviceBody, clock_khz), kAlways},
    {40, 4, false, SONDE_INTO(DeviceBody, copy_engines), kAlways},
    {44, 4, false, SONDE_INTO(DeviceBody, sm_count), kAlways},
    {48, 4, false, SONDE_INTO(DeviceBody, max_ipc), kAlways},
    {52, 4, false, SONDE_INTO(DeviceBody, max_warps_per_sm), kAlways},
    {56, 4, false, SONDE_INTO(DeviceBody, max_blocks_per_sm), kAlways},
    {60, 4, false, SONDE_INTO(DeviceBody, max_shared_bytes_per_sm), kAlways},
    {64, 4, false, SONDE_INTO(DeviceBody, max_registers_per_sm), kAlways},
    {68, 4, false, SONDE_INTO(DeviceBody, max_registers_per_block), kAlways},
    {72, 4, false, SONDE_INTO(DeviceBody, max_shared_bytes_per_block), kAlways},
    {76, 4, false, SONDE_INTO(DeviceBody, max_threads_per_block), kAlways},
    {80, 12, false, SONDE_INTO(DeviceBody, max_block), kAlways},
    {92, 12, false, SONDE_INTO(DeviceBody, max_grid), kAlways},
    {104, 4, false, SONDE_INTO(DeviceBody, compute_major), kAlways},
    {108, 4, false, SONDE_INTO(DeviceBody, compute_minor), kAlways},
    {136, 8, true, SONDE_INTO(DeviceBody, name), kAlways},
    {120, 16, false, SONDE_INTO(DeviceBody, uuid), kAlways},
};
constexpr Size kDeviceSizes[] = {{kAlways, 152}, {kCuda116, 176}, {kCuda132, 192}};

/// CUpti_ActivityContext, 2, 3, 4 (13.2).
constexpr Field kContextFields[] = {
    {4, 4, false, SONDE_INTO(ContextBody, context), kAlways},
    {8, 4, false, SONDE_INTO(ContextBody, device), kAlways},
    {14, 2, false, SONDE_INTO(ContextBody, null_stream), kAlways},
};
constexpr Size kContextSizes[] = {{kAlways, 16}, {kCuda132, 40}};

/// CUpti_ActivityStream.
constexpr Field kStreamFields[] = {
    {4, 4, false, SONDE_INTO(StreamBody, context), kAlways},
    {8, 4, false, SONDE_INTO(StreamBody, stream), kAlways},
    {12, 4, false, SONDE_INTO(StreamBody, priority), kAlways},
    {16, 4, false, SONDE_INTO(StreamBody, flag), kAlways},
};
constexpr Size kStreamSizes[] = {{kAlways, 24}};

/// CUpti_ActivityCudaEvent, 2 (12.8).
constexpr Field kEventFields[] = {
    {8, 4, false, SONDE_INTO(CudaEventBody, context), kAlways},
    {12, 4, false, SONDE_INTO(CudaEventBody, stream), kAlways},
    {16, 4, false, SONDE_INTO(CudaEventBody, event), kAlways},
    {4, 4, false, SONDE_INTO(CudaEventBody, correlation), kAlways},
    {40, 8, false, SONDE_INTO(CudaEventBody, reached), kCuda128},
};
constexpr Size kEventSizes[] = {{kAlways, 24}, {kCuda128, 56}};

#undef SONDE_INTO

template <uint32_t field_count, uint32_t size_count>
constexpr Layout layout(Activity activity, const char* name, Kind kind, Times times, const Field (&fields)[field_count],
                        const Size (&sizes)[size_count]) {
  return {activity, name, kind, times, fields, field_count, sizes, size_count};
}

constexpr Layout kLayouts[] = {
    layout(Activity::kernel, "CONCURRENT_KERNEL", Kind::cuda_kernel, Times::start_and_end, kKernelFields, kKernelSizes),
    layout(Activity::copy, "MEMCPY", Kind::cuda_copy, Times::start_and_end, kCopyFields, kCopySizes),
    layout(Activity::peer_copy, "MEMCPY2", Kind::cuda_peer_copy, Times::start_and_end, kPeerCopyFields, kPeerCopySizes),
    layout(Activity::set, "MEMSET", Kind::cuda_set, Times::start_and_end, kSetFields, kSetSizes),
    layout(Activity::synchronization, "SYNCHRONIZATION", Kind::cuda_sync, Times::start_and_end, kSyncFields,
           kSyncSizes),
    layout(Activity::runtime, "RUNTIME", Kind::cuda_call, Times::start_and_end, kCallFields, kCallSizes),
    layout(Activity::driver, "DRIVER", Kind::cuda_call, Times::start_and_end, kCallFields, kCallSizes),
    layout(Activity::graph, "GRAPH_TRACE", Kind::cuda_graph_launch, Times::start_and_end, kGraphFields, kGraphSizes),
    layout(Activity::unified_memory, "UNIFIED_MEMORY_COUNTER", Kind::cuda_unified, Times::start, kUnifiedFields,
           kUnifiedSizes),
    layout(Activity::memory, "MEMORY2", Kind::cuda_allocation, Times::start, kMemoryFields, kMemorySizes),
    layout(Activity::overhead, "OVERHEAD", Kind::cuda_overhead, Times::start_and_end, kOverheadFields, kOverheadSizes),
    layout(Activity::device, "DEVICE", Kind::cuda_device, Times::none, kDeviceFields, kDeviceSizes),
    layout(Activity::context, "CONTEXT", Kind::cuda_context, Times::none, kContextFields, kContextSizes),
    layout(Activity::stream, "STREAM", Kind::cuda_stream, Times::none, kStreamFields, kStreamSizes),
    layout(Activity::event, "CUDA_EVENT", Kind::cuda_event, Times::none, kEventFields, kEventSizes),
};

uint32_t number_at(const uint8_t* at, NumberOf number_of) noexcept {
  const char* text = nullptr;
  memcpy(&text, at, sizeof text);
  return number_of(text);
}

}  // namespace

const Layout* layout_of(uint32_t activity) noexcept {
  for (const Layout& layout : kLayouts) {
    if (static_cast<uint32_t>(layout.activity) == activity) return &layout;
  }
  return nullptr;
}

uint32_t record_bytes(const Layout& layout, uint32_t version) noexcept {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < layout.size_count && layout.sizes[i].since <= version; ++i) bytes = layout.sizes[i].bytes;
  return bytes;
}

void transcribe(const Layout& layout, uint32_t version, const uint8_t* record, std::byte* body,
                NumberOf number_of) noexcept {
  memset(body, 0, cuda_body_bytes(layout.kind));
  for (uint32_t i = 0; i < layout.field_count; ++i) {
    const Field& field = layout.fields[i];
    if (field.since > version) continue;
    if (field.is_text) {
      const uint32_t number = number_at(record + field.from, number_of);
      memcpy(body + field.to, &number, sizeof number);
    } else {
      memcpy(body + field.to, record + field.from, field.bytes);
    }
  }
}

}  // namespace sonde::inject::cupti
