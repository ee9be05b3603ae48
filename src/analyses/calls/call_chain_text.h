#pragma once

#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/trace.h"

namespace sonde {

/// A call chain in one line, innermost frame first: "fread < load_batch < main". A run of frames without
/// a symbol is its module: "[libcuda.so]". Frames of the kernel are left out, and of more than 8 the outer ones, for
/// which
/// "..." stands.
[[nodiscard]] std::string call_chain_text(const Trace& trace, ChainId chain);

/// Finds the call chain that took the most time.
class TopChain {
 public:
  void add(ChainId chain, int64_t ns) {
    if (chain != kNone) ns_[chain] += ns;
  }
  /// By the frames as call_chain_text() shows them; an empty text where no call had a chain.
  [[nodiscard]] std::string text(const Trace& trace) const;

 private:
  boost::unordered_flat_map<ChainId, int64_t> ns_;
};

}  // namespace sonde
