#pragma once

#include <cstdint>

/// How a recorder reaches a program that was started without one: `sonde record --pid`. The library in the program
/// waits at a Unix socket of the type SOCK_SEQPACKET, in the abstract namespace. The recorder sends an Approach with
/// the descriptor of its mapping, and gets an Admission.
namespace sonde::wire {

/// Behind the zero byte of an abstract name; the process's number follows in decimal.
inline constexpr const char* kDoorName = "sonde-recorder-of-";

struct Approach {
  uint64_t magic;  ///< kMagic
  uint64_t nonce;  ///< of the mapping's header
  uint32_t version;
  uint32_t reserved;
};
static_assert(sizeof(Approach) == 24);

enum class Admitted : uint32_t {
  yes = 0,
  other_version = 1,  ///< of the library; Admission::version says which it has
  before = 2,         ///< the process was recorded already: it takes one recorder in its life
  no_memory = 3,      ///< the mapping could not be used
  other_user = 4,     ///< the recorder is neither root nor of the process's user
};

struct Admission {
  Admitted admitted;
  uint32_t version;  ///< of the library
};
static_assert(sizeof(Admission) == 8);

}  // namespace sonde::wire
