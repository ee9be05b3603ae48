#pragma once

#include <bitset>
#include <cstdint>
#include <memory>

#include <boost/unordered/unordered_flat_map.hpp>

namespace sonde::record {

/// Correlation ids of processes. CUPTI numbers calls one after the other, so that a call takes a bit here.
class CorrelationSet {
 public:
  void insert(uint32_t process, uint32_t correlation) {
    auto& block = blocks_[key(process, correlation)];
    if (!block) block = std::make_unique<Block>();
    block->set(correlation % kBlock);
  }
  [[nodiscard]] bool contains(uint32_t process, uint32_t correlation) const {
    const auto found = blocks_.find(key(process, correlation));
    return found != blocks_.end() && found->second->test(correlation % kBlock);
  }

 private:
  static constexpr uint32_t kBlock = 4096;
  using Block = std::bitset<kBlock>;

  static uint64_t key(uint32_t process, uint32_t correlation) {
    constexpr uint32_t kProcessShift = 32;
    return uint64_t{process} << kProcessShift | correlation / kBlock;
  }

  boost::unordered_flat_map<uint64_t, std::unique_ptr<Block>> blocks_;
};

}  // namespace sonde::record
