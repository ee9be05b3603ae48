#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "record/sink.h"

namespace sonde::record {

/// What programs said of names, processes and the like, for the rounds that come later: told once, it holds for all.
class KeptDefinitions {
 public:
  void note(uint32_t process, uint32_t thread, std::span<const std::byte> records);
  void hand_to(Sink& sink) const;

 private:
  std::vector<std::byte> slices_;  ///< as in a spool
};

}  // namespace sonde::record
