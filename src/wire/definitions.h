#pragma once

#include "wire/layout.h"
#include "wire/record.h"

namespace sonde::wire {

/// Whether records of this kind say what something is, which holds for all later rounds too; else they say what
/// happened at their time, in one round.
constexpr bool is_definition(Kind kind) {
  switch (kind) {
    case Kind::process:
    case Kind::domain:
    case Kind::string:
    case Kind::category:
    case Kind::thread_name: return true;
    default: return false;
  }
}

/// What has to be asked for to have events of this kind, of Wanted; 0 where more than one thing brings them.
constexpr uint32_t wanted_by(Kind kind) {
  switch (kind) {
    case Kind::push:
    case Kind::pop:
    case Kind::start:
    case Kind::end:
    case Kind::mark: return kWantNvtx;
    case Kind::os_call: return kWantOsCalls;
    default: return 0;
  }
}

}  // namespace sonde::wire
