#pragma once

#include <cstddef>
#include <cstdint>

/// What an NVTX header in a program and a tool agree on (NVTX 3, nvtxDetail/nvtxTypes.h and nvToolsExt.h): our own
/// declarations of it, since Debian has no such header. The headers of NVTX 2 to 3.2 use the same.
namespace sonde::inject::nvtx {

using Domain = void*;  ///< null is the default domain
using String = void*;
using Resource = void*;
using RangeId = uint64_t;

enum MessageType : int32_t { kNoMessage = 0, kNarrow = 1, kWide = 2, kRegistered = 3 };

union Message {
  const char* narrow;
  const wchar_t* wide;
  String registered;
};

/// Programs may pass later, longer versions of it.
struct EventAttributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t color_type;  ///< 1: ARGB
  uint32_t color;
  int32_t payload_type;  ///< 1 to 6: uint64, int64, double, uint32, int32, float
  int32_t reserved;
  uint64_t payload;
  int32_t message_type;
  Message message;
};
static_assert(sizeof(EventAttributes) == 48);

/// nvtxRangePush's answer where a tool does not count levels.
inline constexpr int kNotTracked = -2;

/// Modules of functions, and their places in the module's table.
enum Module : int { kCore = 1, kCore2 = 5 };
enum Core : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW,
};
enum Core2 : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainResourceCreate,
  kDomainResourceDestroy,
  kDomainNameCategoryA,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
  kInitialize,
};

using Function = void (*)();
/// Where the program keeps its pointers: place i of a table is the address of function i's pointer.
using FunctionTable = Function**;

struct Callbacks {
  size_t struct_size;
  int (*module_table)(int module, FunctionTable* table, unsigned* size);
};

enum ExportTable : uint32_t { kCallbacks = 1 };
using GetExportTable = const void* (*)(uint32_t table);

}  // namespace sonde::inject::nvtx
