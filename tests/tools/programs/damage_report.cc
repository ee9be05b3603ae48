// damage_report FILE PREFIXES MUTATIONS SEED: reads damaged versions of a report. It is truncated at every boundary
// between its pieces and one byte to either side, truncated at PREFIXES random places, and changed in MUTATIONS random
// ways: half of them in the file, half inside its pieces with the surrounding lengths adjusted. Each version must be
// read, or refused in one sentence. Prints the number of each, and the largest time. Exits with 1 if one is refused
// without a sentence or takes 20 s, or if all together take 2 GB.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <span>

#include "base/files/file.h"
#include "damage.h"
#include "importers/importer.h"
#include "importers/ncu/container.h"
#include "memory_file.h"

namespace sonde::test {
namespace {

constexpr double kMostSeconds = 20;       // what libFuzzer allows an input of the fuzz targets
constexpr long kMostKilobytes = 2 << 20;  // the same

class Reader {
 public:
  void read(std::string_view bytes) {
    const MemoryFile file(bytes);
    const std::array paths = {file.path()};
    const auto began = std::chrono::steady_clock::now();
    const auto trace = import_run(paths, {.fields = Fields::all()});
    slowest_ = std::max(slowest_, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    ++(trace ? read_ : refused_);
    if (!trace && (trace.error().message.empty() || trace.error().message.contains('\n'))) ++speechless_;
  }

  [[nodiscard]] bool good() const {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} read, {} refused, slowest {:.2f} s, peak {} MB\n", read_, refused_, slowest_,
               usage.ru_maxrss / 1024);
    if (speechless_ > 0) fmt::print("{} refused without one sentence\n", speechless_);
    return speechless_ == 0 && slowest_ < kMostSeconds && usage.ru_maxrss < kMostKilobytes;
  }

 private:
  long read_ = 0;
  long refused_ = 0;
  long speechless_ = 0;
  double slowest_ = 0;
};

struct Amount {
  long prefixes = 0;
  long changes = 0;
};

void cut_at_borders(const Subject& subject, Reader& reader) {
  const std::string_view bytes = subject.bytes();
  std::set<size_t> places;
  for (const size_t at : subject.borders()) places.insert({at == 0 ? 0 : at - 1, at, at + 1});
  for (const size_t place : places) reader.read(bytes.substr(0, std::min(place, bytes.size())));
  subject.cut_inside([&](std::string_view damaged) { reader.read(damaged); });
}

void damage(Subject& subject, const Amount& amount, Chance chance, Reader& reader) {
  cut_at_borders(subject, reader);
  const std::string_view bytes = subject.bytes();
  for (long i = 0; i < amount.prefixes; ++i) reader.read(bytes.substr(0, chance.below(bytes.size())));
  for (long i = 0; i < amount.changes; ++i) {
    reader.read(i % 2 == 0 ? chance.changed(bytes) : subject.change_inside(chance));
  }
}

int run(std::span<char* const> arguments) {
  const auto number = [&](size_t i) { return std::strtol(arguments[i], nullptr, 10); };
  const auto file = MappedFile::open(arguments[0]);
  const std::string_view bytes = file ? file->bytes() : std::string_view();
  const auto subject = !file                            ? std::unexpected(file.error())
                       : bytes.starts_with(ncu::kMagic) ? ncu_subject(bytes)
                                                        : nsys_subject(bytes);
  if (!subject) {
    fmt::print(stderr, "damage_report: {}\n", subject.error().message);
    return 1;
  }
  Reader reader;
  damage(**subject, {number(1), number(2)}, Chance(static_cast<uint64_t>(number(3))), reader);
  return reader.good() ? 0 : 1;
}

}  // namespace

void Chance::change_bytes(std::string& text) {
  if (text.empty()) return;
  const size_t count = 1 + below(8);
  const bool in_row = below(2) == 0;
  size_t at = below(text.size());
  for (size_t i = 0; i < count; ++i, at = in_row ? (at + 1) % text.size() : below(text.size())) {
    const std::array<char, 4> choices = {'\0', '\x7F', '\xFF', static_cast<char>(below(256))};
    text[at] = choices[below(choices.size())];
  }
}

std::string Chance::changed(std::string_view bytes) {
  std::string text(bytes);
  if (!text.empty() && below(4) == 0) text.erase(below(text.size()), 1 + below(64));
  change_bytes(text);
  return text;
}

}  // namespace sonde::test

int main(int argc, char** argv) {
  return argc == 5 ? sonde::test::run(std::span(argv + 1, static_cast<size_t>(argc - 1))) : 2;
}
