#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/ids.h"

/// What binary payloads of NVTX events are made of, as programs registered it. Numbers are NVTX's own.
namespace sonde {

/// Of a schema; of an enumeration a name with its value.
struct PayloadEntry {
  std::string name;
  std::string description;
  uint64_t type = 0;   ///< the value, of an enumeration
  uint64_t flags = 0;  ///< 1 where the value is a bit, of an enumeration
  uint64_t detail = 0;
  uint64_t offset = 0;
};

struct PayloadSchema {
  DomainId domain = 0;
  uint64_t id = 0;
  bool is_enum = false;
  std::string name;
  uint64_t type = 0;
  uint64_t flags = 0;
  uint64_t bytes = 0;  ///< of a payload, or of a value; 0 where that is unknown
  uint64_t align = 0;
  std::vector<PayloadEntry> entries;
};

/// What a program calls a category of a domain.
struct Category {
  int64_t start = 0;
  ThreadId thread = kNone;
  DomainId domain = 0;
  uint32_t number = 0;
  NameId name = kNone;
};

}  // namespace sonde
