// damage_nsys_report FILE PREFIXES MUTATIONS SEED: reads a report cut off at every border between its pieces and one
// byte to either side, cut off at PREFIXES random places, and changed in MUTATIONS random ways, half of them as a file
// and half as what lies in its blocks. Each has to be read, or refused in one sentence. Prints how many were, and what
// the worst took. Exits with 1 where one was refused without a sentence, took 20 s, or all together took 2 GB.

#include <sys/resource.h>

#include <array>
#include <chrono>
#include <random>
#include <span>

#include "base/file.h"
#include "importers/importer.h"
#include "importers/nsys_container.h"
#include "memory_file.h"
#include "nsys_report_writer.h"

namespace sonde::test {
namespace {

constexpr double kMostSeconds = 20;       // what libFuzzer allows an input of the fuzz targets
constexpr long kMostKilobytes = 2 << 20;  // the same

class Damage {
 public:
  Damage(std::string_view bytes, PlainReport plain, uint64_t seed)
      : bytes_(bytes), plain_(std::move(plain)), random_(seed) {}

  void cut_at_borders(const nsys::ReportLayout& layout) {
    cut_around(layout.session);
    for (const nsys::PackedBlock& block : layout.blocks) cut_around(block.packed);
    for (const std::string_view piece :
         {layout.strings.packed, layout.threads, layout.target, layout.clocks, layout.about}) {
      if (!piece.empty()) cut_around(piece);
    }
    for (const size_t back : {size_t{0}, size_t{1}, size_t{8}, size_t{16}}) cut_near(bytes_.size() - back);
    for (const size_t at : {size_t{0}, size_t{16}, bytes_.find('\n')}) cut_near(at);
  }
  void cut_anywhere(long count) {
    for (long i = 0; i < count; ++i) read(bytes_.substr(0, below(bytes_.size())));
  }
  void change(long count) {
    for (long i = 0; i < count; ++i) i % 2 == 0 ? change_file() : change_inside();
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
  size_t below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random_); }

  void cut_near(size_t at) {
    for (const size_t place : {at == 0 ? 0 : at - 1, at, at + 1})
      read(bytes_.substr(0, std::min(place, bytes_.size())));
  }
  void cut_around(std::string_view piece) {
    const auto begin = static_cast<size_t>(piece.data() - bytes_.data());
    cut_near(begin);
    cut_near(begin + piece.size());
  }

  /// Changes up to eight bytes, in a row or anywhere; to anything, or to what ends a length or goes on with it.
  void change_bytes(std::string& text) {
    if (text.empty()) return;
    const size_t count = 1 + below(8);
    const bool in_row = below(2) == 0;
    size_t at = below(text.size());
    for (size_t i = 0; i < count; ++i, at = in_row ? (at + 1) % text.size() : below(text.size())) {
      const std::array<char, 4> choices = {'\0', '\x7F', '\xFF', static_cast<char>(below(256))};
      text[at] = choices[below(choices.size())];
    }
  }
  void change_file() {
    std::string changed(bytes_);
    if (below(4) == 0) changed.erase(below(changed.size()), 1 + below(64));
    change_bytes(changed);
    read(changed);
  }
  void change_inside() {
    std::string& piece = any_piece();
    std::string before = piece;
    change_bytes(piece);
    read(pack_report(plain_));
    piece = std::move(before);
  }
  std::string& any_piece() {
    const std::array<std::string*, 4> others = {&plain_.strings, &plain_.threads, &plain_.target, &plain_.session};
    if (plain_.blocks.empty() || below(4) == 0) return *others[below(others.size())];
    return plain_.blocks[below(plain_.blocks.size())];
  }

  void read(std::string_view bytes) {
    const MemoryFile file(bytes);
    const std::array paths = {file.path()};
    const auto began = std::chrono::steady_clock::now();
    const auto trace = import_run(paths, {.fields = Fields::all()});
    slowest_ = std::max(slowest_, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    ++(trace ? read_ : refused_);
    if (!trace && (trace.error().message.empty() || trace.error().message.contains('\n'))) ++speechless_;
  }

  std::string_view bytes_;
  PlainReport plain_;
  std::mt19937_64 random_;
  long read_ = 0;
  long refused_ = 0;
  long speechless_ = 0;
  double slowest_ = 0;
};

int run(std::span<char* const> arguments) {
  const auto number = [&](size_t i) { return std::strtol(arguments[i], nullptr, 10); };
  const auto file = MappedFile::open(arguments[0]);
  const auto layout = file ? nsys::read_layout(file->bytes()) : std::unexpected(file.error());
  const auto plain = layout ? unpack_report(file->bytes()) : std::unexpected(layout.error());
  if (!plain) {
    fmt::print(stderr, "damage_nsys_report: {}\n", plain.error().message);
    return 1;
  }
  Damage damage(file->bytes(), *plain, static_cast<uint64_t>(number(3)));
  damage.cut_at_borders(*layout);
  damage.cut_anywhere(number(1));
  damage.change(number(2));
  return damage.good() ? 0 : 1;
}

}  // namespace
}  // namespace sonde::test

int main(int argc, char** argv) {
  return argc == 5 ? sonde::test::run(std::span(argv + 1, static_cast<size_t>(argc - 1))) : 2;
}
