// bare_walk FILE.nsys-rep: unpacks every block of events and steps over each field of each message in it, on as many
// threads as the importer uses, and keeps nothing. The reader is protozero, which is not part of Sonde.

#include <atomic>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/files/protobuf.h"
#include "base/system/parallel.h"
#include "importers/nsys_report/container.h"

namespace sonde {
namespace {

/// Fields that hold messages: the bodies of events and the details of GPU operations.
bool is_message(uint32_t tag) { return tag >= 101 && tag <= 113; }

/// Adds up all numbers, so that nothing can be left out.
uint64_t walk(protozero::pbf_reader m) {
  uint64_t sum = 0;
  while (m.next()) {
    if (m.wire_type() == protozero::pbf_wire_type::varint) {
      sum += m.get_uint64();
    } else if (m.wire_type() == protozero::pbf_wire_type::length_delimited && is_message(m.tag())) {
      sum += walk(m.get_message());
    } else {
      m.skip();
    }
  }
  return sum;
}

struct Sum {
  uint64_t events = 0;
  uint64_t numbers = 0;
};

Sum walk_block(const nsys::PackedBlock& block, nsys::Unpacker& unpacker) {
  Sum sum;
  const auto plain = unpacker.unpack(block);
  if (!plain) return sum;
  protozero::pbf_reader m(plain->data(), plain->size());
  for (; m.next(1); ++sum.events) sum.numbers += walk(m.get_message());
  return sum;
}

int run(const char* path) {
  const auto file = MappedFile::open(path);
  const auto layout = file ? nsys::read_layout(file->bytes()) : std::unexpected(file.error());
  if (!layout) {
    fmt::print(stderr, "bare_walk: {}\n", layout.error().message);
    return 1;
  }
  const size_t threads = worker_count();
  std::atomic<uint64_t> events = 0;
  std::atomic<uint64_t> numbers = 0;
  parallel_for(threads, [&](size_t i) {
    nsys::Unpacker unpacker;
    for (size_t b = layout->blocks.size() * i / threads; b < layout->blocks.size() * (i + 1) / threads; ++b) {
      const Sum sum = walk_block(layout->blocks[b], unpacker);
      events += sum.events;
      numbers += sum.numbers;
    }
  });
  fmt::print("{} {}\n", events.load(), numbers.load());
  return 0;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) { return argc == 2 ? sonde::run(argv[1]) : 2; }
