#pragma once

#include "wire/cuda_record.h"

/// Where the fields of CUPTI's activity records lie, by its version, and how a record becomes one of ours. The records
/// of a kind only grew from CUDA 11.4 to 13.4: a field keeps its place, and newer versions have more of them.
namespace sonde::inject::cupti {

/// The versions whose records are known, as cuptiGetVersion() numbers them: CUDA 11.2 to 12.9, and 13.0 to 13.4. There
/// is no number from 29 to 129999.
inline constexpr uint32_t kOldestVersion = 15;
inline constexpr uint32_t kLastShortVersion = 28;
inline constexpr uint32_t kFirstLongVersion = 130000;
inline constexpr uint32_t kNewestVersion = 130499;

[[nodiscard]] constexpr bool is_known_version(uint32_t version) noexcept {
  return (version >= kOldestVersion && version <= kLastShortVersion) ||
         (version >= kFirstLongVersion && version <= kNewestVersion);
}

/// CUpti_ActivityKind.
enum class Activity : uint32_t {
  copy = 1,
  set = 2,
  driver = 4,
  runtime = 5,
  device = 8,
  context = 9,
  kernel = 10,  ///< CONCURRENT_KERNEL, under which kernels may run at once
  overhead = 17,
  peer_copy = 22,
  unified_memory = 25,
  event = 36,
  stream = 37,
  synchronization = 38,
  memory = 49,
  graph = 51,
};

/// What the first 16 bytes of a record's body are, as far as they are times.
enum class Times : uint8_t { none, start, start_and_end };

/// A field as it lies in CUPTI's record, and its place in the body of ours.
struct Field {
  uint16_t from;
  uint8_t bytes;
  bool is_text;  ///< a pointer to a text, whose number is taken
  uint16_t to;
  uint32_t since;  ///< the first version that has it
};

/// The bytes that a record has from a version on.
struct Size {
  uint32_t since;
  uint16_t bytes;
};

struct Layout {
  Activity activity;
  const char* name;  ///< as cupti_activity.h has it, behind CUPTI_ACTIVITY_KIND_
  wire::Kind kind;
  Times times;
  const Field* fields;
  uint32_t field_count;
  const Size* sizes;
  uint32_t size_count;
};

/// Null for a kind that is not taken.
[[nodiscard]] const Layout* layout_of(uint32_t activity) noexcept;

/// The bytes of such a record, at least.
[[nodiscard]] uint32_t record_bytes(const Layout& layout, uint32_t version) noexcept;

/// The number under which the recorder knows a text; 0 for null.
using NumberOf = uint32_t (*)(const char* text);

/// Fills a body of wire::cuda_body_bytes() bytes.
void transcribe(const Layout& layout, uint32_t version, const uint8_t* record, std::byte* body,
                NumberOf number_of) noexcept;

}  // namespace sonde::inject::cupti
