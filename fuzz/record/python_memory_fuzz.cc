// Takes any bytes for the memory of a Python process. Reading its threads and stacks ends, whatever they point to.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "record/python/stack_table.h"
#include "record/python/stacks.h"

namespace {

using namespace sonde::record::python;

/// Every address has a byte of the input, so that no pointer ends the reading early.
class AnyMemory : public ForeignMemory {
 public:
  explicit AnyMemory(std::span<const std::byte> bytes) : bytes_(bytes) {}
  using ForeignMemory::read;
  void read(std::span<Piece> pieces) const override {
    for (Piece& piece : pieces) {
      piece.read = !bytes_.empty() && piece.address % 64 != 63;
      if (!piece.read) continue;
      fill(piece.into, piece.address % bytes_.size());
    }
  }

 private:
  void fill(std::span<std::byte> into, size_t at) const {
    for (; !into.empty(); at = 0) {
      const size_t size = std::min(into.size(), bytes_.size() - at);
      std::ranges::copy(bytes_.subspan(at, size), into.begin());
      into = into.subspan(size);
    }
  }

  std::span<const std::byte> bytes_;
};

/// The types are where the input says, so that it can make objects.
Interpreter interpreter_of(const Layout& layout, const AnyMemory& memory) {
  const auto word = [&](uint64_t at) { return memory.value<uint64_t>(at).value_or(0); };
  return {.layout = layout, .runtime = 0, .code_type = word(8), .text_type = word(16), .bytes_type = word(24)};
}

void read_all(const AnyMemory& memory, const Layout& layout) {
  const Interpreter interpreter = interpreter_of(layout, memory);
  std::vector<ThreadState> threads;
  std::vector<Gil> gils;
  std::vector<RawFrame> frames;
  std::vector<std::byte> definitions;
  StackReader reader;
  CodeObjects codes;
  StackTable table;
  static_cast<void>(read_threads(memory, interpreter, threads, gils));
  threads.resize(std::min<size_t>(threads.size(), 4));
  for (const ThreadState& thread : threads) {
    if (reader.read(memory, interpreter, thread.frame, frames) == StackReader::Outcome::torn) continue;
    if (frames.size() > kMostFrames) std::abort();
    if (!codes.look_at(memory, interpreter, frames)) continue;
    const uint32_t node = table.node_of(1, layout, codes, frames, definitions);
    if ((node == 0) != frames.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const AnyMemory memory(std::as_bytes(std::span(data, size)));
  const int minor = kFirstMinor + data[0] % (kLastMinor - kFirstMinor + 1);
  read_all(memory, *known_layout(minor));
  if (const auto told = told_layout(*known_layout(kLastMinor), std::as_bytes(std::span(data, size)))) {
    read_all(memory, *told);
  }
  return 0;
}
