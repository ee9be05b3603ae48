#pragma once

#include "records.h"

/// Which CUPTI this is: FAKE_CUPTI_VERSION is what cuptiGetVersion() gives (cupti_version.h lists them): 15 CUDA 11.4,
/// 18 11.8, 19 12.0, 22 12.4, 26 12.8, 130000 13.0, 130400 13.4. A record of a later version begins as the one before;
/// when each came stands in the comments of cupti_activity_deprecated.h and in CUPTI's release notes. Where these name
/// no version for the tail of a record that nobody reads (Memory3 and 4, Device4 and 5, GraphTrace2, Context3), the
/// first that fits is taken.
namespace fake_cuda::cupti {

inline constexpr uint32_t kVersion = FAKE_CUPTI_VERSION;

template <bool kIs, typename A, typename B>
struct Choice {
  using Type = A;
};
template <typename A, typename B>
struct Choice<false, A, B> {
  using Type = B;
};

/// `Newer` from that version on.
template <uint32_t kSince, typename Newer, typename Older>
using Since = typename Choice<(kVersion >= kSince), Newer, Older>::Type;

inline constexpr uint32_t kCuda11_6 = 17, kCuda11_8 = 18, kCuda12_0 = 19, kCuda12_2 = 20, kCuda12_4 = 22,
                          kCuda12_6 = 24, kCuda12_8 = 26, kCuda12_9 = 28, kCuda13_0 = 130000, kCuda13_2 = 130200,
                          kCuda13_3 = 130300, kCuda13_4 = 130400;

using EarlyKernelRecord = Since<kCuda12_0, Kernel9, Since<kCuda11_8, Kernel8, Since<kCuda11_6, Kernel7, Kernel6>>>;
using KernelRecord =
    Since<kCuda13_4, Kernel13, Since<kCuda13_3, Kernel12, Since<kCuda13_0, Kernel10, EarlyKernelRecord>>>;
using CopyRecord = Since<kCuda13_4, Memcpy7, Since<kCuda12_8, Memcpy6, Since<kCuda11_6, Memcpy5, Memcpy4>>>;
using PeerCopyRecord = Since<kCuda11_6, PeerCopy4, PeerCopy3>;
using SetRecord = Since<kCuda13_4, Memset5, Since<kCuda11_6, Memset4, Memset3>>;
using SyncRecord = Since<kCuda12_8, Synchronization2, Synchronization1>;
using EventRecord = Since<kCuda12_8, CudaEvent2, CudaEvent1>;
using GraphRecord = Since<kCuda12_4, GraphTrace2, GraphTrace1>;
using MigrationRecord = Since<kCuda12_8, UnifiedMemory3, UnifiedMemory2>;
using AllocationRecord = Since<kCuda12_6, Memory4, Since<kCuda11_6, Memory3, Memory2>>;
using OverheadRecord = Since<kCuda12_4, Overhead3, Since<kCuda12_2, Overhead2, Overhead1>>;
using DeviceRecord = Since<kCuda13_2, Device6, Since<kCuda12_4, Device5, Since<kCuda11_6, Device4, Device3>>>;
using ContextRecord = Since<kCuda13_2, Context4, Since<kCuda12_8, Context3, Since<kCuda12_4, Context2, Context1>>>;

inline constexpr bool kHasGraphTrace = kVersion >= kCuda11_8;  // 11.7 is not among the variants

}  // namespace fake_cuda::cupti
