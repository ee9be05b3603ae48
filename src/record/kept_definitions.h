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
  void note(const Slice& slice);
  void hand_to(Sink& sink) const;

 private:
  void note_records(const Slice& slice);
  void note_code(const Slice& slice);
  void keep(const Slice& of, std::span<const std::byte> record);

  std::vector<std::byte> slices_;  ///< as in a spool
};

}  // namespace sonde::record
