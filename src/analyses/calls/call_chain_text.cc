#include "analyses/calls/call_chain_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace sonde {

namespace {

/// Recorders write the address where they found no symbol.
bool is_resolved(std::string_view symbol) {
  return !symbol.empty() && !symbol.starts_with("0x") && symbol != "[Unknown]";
}

std::string frame_text(const Trace& trace, uint32_t frame) {
  const CallChains& chains = trace.chains;
  const auto text_of = [&](const Ids& names) {
    return names.empty() || names[frame] == kNone ? std::string_view() : trace.name(names[frame]);
  };
  const std::string_view symbol = text_of(chains.symbol);
  if (is_resolved(symbol)) return std::string(symbol);
  const std::string_view module = text_of(chains.module);
  if (!is_resolved(module)) return "[unknown]";
  return fmt::format("[{}]", module.substr(module.rfind('/') + 1));
}

}  // namespace

std::string call_chain_text(const Trace& trace, ChainId chain) {
  constexpr int kMaxFrames = 8;
  const CallChains& chains = trace.chains;
  std::string text;
  std::string last;
  int frames = 0;
  for (uint32_t frame = chains.first[chain]; frame < chains.first[chain + 1]; ++frame) {
    if (!chains.kernel_mode.empty() && chains.kernel_mode[frame] == 1) continue;
    std::string next = frame_text(trace, frame);
    if (next.starts_with('[') && next == last) continue;
    if (!text.empty()) text += " < ";
    if (frames++ == kMaxFrames) return text + "...";
    text += next;
    last = std::move(next);
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
