#include "analyses/calls/call_chain_text.h"

#include <gtest/gtest.h>

namespace sonde {
namespace call_chain_text_test {

struct Frame {
  std::string_view symbol;
  std::string_view module;
  bool kernel = false;
};

ChainId add_chain(Trace& trace, const std::vector<Frame>& frames) {
  CallChains& c = trace.chains;
  for (const Frame& f : frames) {
    c.symbol.push_back(f.symbol.empty() ? kNone : trace.names.intern(f.symbol));
    c.module.push_back(f.module.empty() ? kNone : trace.names.intern(f.module));
    c.kernel_mode.push_back(static_cast<uint8_t>(f.kernel));
  }
  c.first.push_back(static_cast<uint32_t>(c.symbol.size()));
  return static_cast<ChainId>(c.size() - 1);
}

TEST(CallChainText, NamesModulesWhereThereAreNoSymbols) {
  Trace trace;
  const ChainId chain = add_chain(trace, {{"do_syscall", "[kernel]", true},
                                          {"read", "libc.so"},
                                          {"0x7f01", "/usr/lib/libx.so"},
                                          {"0x7f02", "/usr/lib/libx.so"},
                                          {"", ""},
                                          {"main", "app"}});
  EXPECT_EQ(call_chain_text(trace, chain), "read < [libx.so] < [unknown] < main");
}

TEST(CallChainText, LeavesOutOuterFrames) {
  Trace trace;
  EXPECT_EQ(call_chain_text(trace, add_chain(trace, std::vector<Frame>(8, {"f", "m"}))),
            "f < f < f < f < f < f < f < f");
  EXPECT_EQ(call_chain_text(trace, add_chain(trace, std::vector<Frame>(9, {"f", "m"}))),
            "f < f < f < f < f < f < f < f < ...");
}

TEST(TopChain, AddsUpChainsThatReadTheSame) {
  Trace trace;
  TopChain top;
  EXPECT_EQ(top.text(trace), "");
  top.add(add_chain(trace, {{"a", ""}}), 30);
  top.add(add_chain(trace, {{"b", ""}}), 20);
  top.add(add_chain(trace, {{"b", ""}}), 20);
  top.add(kNone, 1000);
  EXPECT_EQ(top.text(trace), "b");
}

}  // namespace call_chain_text_test
}  // namespace sonde
