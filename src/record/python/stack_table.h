#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/python/code_objects.h"

namespace sonde::record::python {

/// The stacks of all processes, as a tree from the outermost frame on: what many have in common is there once. Each
/// frame and node is told in a record when it is new.
class StackTable {
 public:
  /// The node of a stack that CodeObjects::look_at() has seen, innermost frame first; 0 for no frames.
  [[nodiscard]] uint32_t node_of(uint32_t process, const Layout& layout, const CodeObjects& codes,
                                 std::span<const RawFrame> frames, std::vector<std::byte>& definitions);

  /// A process is gone, or runs another program: its numbers of code mean nothing any more.
  void forget(uint32_t process);

 private:
  struct Key {
    uint64_t high;
    uint64_t low;
    bool operator==(const Key&) const = default;
    friend size_t hash_value(const Key& key) {
      size_t seed = 0;
      boost::hash_combine(seed, key.high);
      boost::hash_combine(seed, key.low);
      return seed;
    }
  };

  [[nodiscard]] uint32_t frame_of(uint32_t process, const Layout& layout, const CodeObjects& codes,
                                  const RawFrame& frame, std::vector<std::byte>& definitions);

  boost::unordered_flat_map<Key, uint32_t> places_;  ///< process and code, offset -> frame
  boost::unordered_flat_map<Key, uint32_t> lines_;   ///< process and code, line -> frame
  boost::unordered_flat_map<uint64_t, uint32_t> nodes_;
  uint32_t frames_ = 0;
};

}  // namespace sonde::record::python
