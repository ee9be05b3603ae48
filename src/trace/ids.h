#pragma once

#include <cstdint>
#include <limits>

namespace sonde {

/// Ids are dense indexes into the tables of one Trace; kNone stands where there is none.
using NameId = uint32_t;     ///< Trace::names
using RankId = uint32_t;     ///< Trace::ranks
using ProcessId = uint32_t;  ///< Trace::processes
using ThreadId = uint32_t;   ///< Trace::threads
using DeviceId = uint32_t;   ///< Trace::devices
using StreamId = uint32_t;   ///< Trace::streams
using DomainId = uint16_t;   ///< Trace::domains
using Row = uint32_t;        ///< a row of an event table
using ChainId = uint32_t;    ///< Trace::chains

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
inline constexpr DomainId kNoDomain = std::numeric_limits<DomainId>::max();

/// A time or a number that the source did not give. Never zero: unknown is not zero.
inline constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();
inline constexpr int32_t kUnknown32 = std::numeric_limits<int32_t>::min();

}  // namespace sonde
