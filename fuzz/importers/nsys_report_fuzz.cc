// Reads mutated reports of Nsight Systems: the result is a trace, or an error in a sentence. Mutates the file and the
// unpacked contents of its LZ4 blocks, because a change inside a packed block rarely leaves anything readable.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "any_profile.h"
#include "nsys_report_writer.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sonde::test::read_any_profile(data, size);
  return 0;
}

namespace {

/// Lets libFuzzer change a text, which may grow a little.
void mutate(std::string& text) {
  const size_t size = text.size();
  text.resize(size + 64);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
}

std::string& piece_of(sonde::test::PlainReport& report, unsigned choice) {
  if (!report.blocks.empty() && choice % 8 < 4) return report.blocks[choice / 8 % report.blocks.size()];
  const std::array<std::string*, 4> others = {&report.strings, &report.threads, &report.target, &report.session};
  return *others[choice % 4];
}

}  // namespace

/// Every second time the pieces of a whole report are mutated, and packed again with counts that fit.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  auto report = seed % 2 == 0 ? sonde::test::unpack_report({reinterpret_cast<const char*>(data), size})
                              : std::unexpected(sonde::Error{});
  if (!report) return LLVMFuzzerMutate(data, size, max_size);
  mutate(piece_of(*report, seed / 2));
  const std::string packed = sonde::test::pack_report(*report);
  if (packed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, packed.data(), packed.size());
  return packed.size();
}
