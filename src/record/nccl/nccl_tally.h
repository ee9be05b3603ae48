#pragma once

#include <cstdint>

namespace sonde::record {

/// What a recording came to where NCCL's plugin interface is concerned.
struct NcclTally {
  int64_t communicators = 0;
  int64_t operations = 0;
  int64_t without_end = 0;  ///< of these
  int64_t interface = 0;    ///< the newest version by which NCCL called; 0: it did not
};

}  // namespace sonde::record
