#pragma once

#include <cstddef>
#include <cstdint>

/// NVTX's payload extension (nvToolsExtPayload.h, nvtxDetail/nvtxExtTypes.h), versions 1.x: our own declarations.
namespace sonde::inject::nvtx {

/// What EventAttributes::payload_type says then; `payload` is the address of PayloadData, `reserved` how many.
inline constexpr auto kPayloadsFollow = static_cast<int32_t>(0xDFBD0009);

struct PayloadData {
  uint64_t schema;
  size_t bytes;  ///< kUnknownBytes: the tool is to find out
  const void* data;
};
inline constexpr size_t kUnknownBytes = ~size_t{0};

/// Schemas that NVTX has itself: zero-terminated texts, and memory that another payload points to.
enum KnownSchema : uint64_t { kText = 75, kTextUtf8 = 76, kReferenced = 1022 };
inline constexpr uint64_t kFirstDynamicSchema = uint64_t{1} << 32U;

struct SchemaEntry {
  uint64_t flags;
  uint64_t type;
  const char* name;
  const char* description;
  uint64_t detail;
  uint64_t offset;
  const void* semantics;
  const void* reserved;
};
static_assert(sizeof(SchemaEntry) == 64);

/// Bits of `fields`: those that count.
enum SchemaField : uint64_t {
  kSchemaName = 1U << 1U,
  kSchemaType = 1U << 2U,
  kSchemaFlags = 1U << 3U,
  kSchemaEntries = 1U << 4U,
  kSchemaCount = 1U << 5U,
  kSchemaBytes = 1U << 6U,
  kSchemaAlign = 1U << 7U,
  kSchemaNumber = 1U << 8U,
};
struct SchemaAttributes {
  uint64_t fields;
  const char* name;
  uint64_t type;
  uint64_t flags;
  const SchemaEntry* entries;
  size_t count;
  size_t bytes;
  size_t align;
  uint64_t number;
  void* extension;
};

struct EnumEntry {
  const char* name;
  uint64_t value;
  int8_t is_flag;
};

enum EnumField : uint64_t {
  kEnumName = 1U << 1U,
  kEnumEntries = 1U << 2U,
  kEnumCount = 1U << 3U,
  kEnumBytes = 1U << 4U,
  kEnumNumber = 1U << 5U,
};
struct EnumAttributes {
  uint64_t fields;
  const char* name;
  const EnumEntry* entries;
  size_t count;
  size_t bytes;
  uint64_t number;
  void* extension;
};

/// Functions of the extension, by their places in its segment.
enum PayloadFunction : unsigned {
  kSchemaRegister,
  kEnumRegister,
  kMarkPayload,
  kPushPayload,
  kPopPayload,
  kStartPayload,
  kEndPayload,
};

struct ExtensionSegment {
  size_t number;
  size_t count;
  intptr_t* functions;
};

inline constexpr uint16_t kPayloadExtension = 2;
inline constexpr uint16_t kPayloadMajor = 1;  ///< upper byte of `compatible`
struct ExtensionModule {
  uint16_t version;
  uint16_t struct_bytes;
  uint16_t module;
  uint16_t compatible;
  size_t segment_count;
  ExtensionSegment* segments;
  void* get_export;
  const void* info;
};

}  // namespace sonde::inject::nvtx
