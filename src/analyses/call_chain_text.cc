#include "analyses/call_chain_text.h"

#include <algorithm>
#include <map>

namespace sonde {

std::string call_chain_text(const Trace& trace, ChainId chain) {
  constexpr int kMostFrames = 8;
  const CallChains& chains = trace.chains;
  std::string text;
  int frames = 0;
  for (uint32_t frame = chains.first[chain]; frame < chains.first[chain + 1]; ++frame) {
    if (!chains.kernel_mode.empty() && chains.kernel_mode[frame] == 1) continue;
    if (!text.empty()) text += " < ";
    if (frames++ == kMostFrames) return text + "...";
    text += chains.symbol[frame] == kNone ? std::string_view("[unknown]") : trace.name(chains.symbol[frame]);
  }
  return text;
}

std::string TopChain::text(const Trace& trace) const {
  // Chains that differ in what is not shown count together.
  std::map<std::string, int64_t> by_text;
  for (const auto& [chain, ns] : ns_) by_text[call_chain_text(trace, chain)] += ns;
  const auto most = std::ranges::max_element(by_text, {}, [](const auto& entry) { return entry.second; });
  return most == by_text.end() ? std::string() : most->first;
}

}  // namespace sonde
