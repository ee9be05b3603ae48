#include "importers/ncu/container.h"

#include <bit>
#include <cstring>

#include "base/files/protobuf.h"
#include "importers/files/zstd.h"

namespace sonde::ncu {
namespace {

static_assert(std::endian::native == std::endian::little, "sizes in a report are little-endian");

/// Every report from 2020.3 to 2025.2 has this version.
constexpr uint64_t kVersion = 7;

/// What a compressed report may unpack to: reports are mostly numbers and cubins, which zstd packs to a tenth or so.
constexpr size_t kRoomToUnpack = size_t{64} << 20;
constexpr size_t kMaxExpansion = 200;

/// Takes length-prefixed messages from the front of some bytes.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] size_t position() const { return size_ - rest_.size(); }

  /// Absent when fewer bytes are left than that.
  std::optional<std::string_view> take(size_t count) {
    if (count > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  /// A 32-bit size and as many bytes.
  std::optional<std::string_view> take_sized() {
    const auto prefix = take(sizeof(uint32_t));
    if (!prefix) return std::nullopt;
    uint32_t size = 0;
    std::memcpy(&size, prefix->data(), sizeof(size));
    return take(size);
  }

 private:
  std::string_view rest_;
  size_t size_;
};

struct Counts {
  uint64_t sources = 0;
  uint64_t results = 0;
  uint64_t range_results = 0;
  uint64_t payload_bytes = 0;
};

Counts counts_of(std::string_view header) {
  Counts counts;
  each_field(header, [&](const WireField& field) {
    if (field.number() == 1) counts.sources = field.integer();
    if (field.number() == 2) counts.results = field.integer();
    if (field.number() == 5) counts.payload_bytes = field.integer();
    if (field.number() == 7) counts.range_results = field.integer();
  });
  return counts;
}

/// Deals the messages of a payload out by what the header counts: first sources, then results, then range results.
/// False where the messages do not fill the payload.
bool deal(std::string_view payload, const Counts& counts, Block& block) {
  Cursor cursor(payload);
  while (!cursor.at_end()) {
    const auto message = cursor.take_sized();
    if (!message) return false;
    if (block.sources.size() < counts.sources) {
      block.sources.push_back(*message);
    } else if (block.results.size() < counts.results) {
      block.results.push_back(*message);
    } else if (block.range_results < counts.range_results) {
      ++block.range_results;
    } else {
      ++block.unknown;
    }
  }
  return block.sources.size() == counts.sources && block.results.size() == counts.results &&
         block.range_results == counts.range_results;
}

Status check_version(std::string_view header) {
  uint64_t version = 0;
  each_field(header, [&](const WireField& field) {
    if (field.number() == 1) version = field.integer();
  });
  if (version == kVersion) return {};
  return fail(
      "is an Nsight Compute report of format version {}, but Sonde reads version {}. Print it with: "
      "ncu --import FILE --page raw --csv, and pass that output to Sonde",
      version, kVersion);
}

/// Reads blocks until the bytes end or break off.
Status read_blocks(Cursor& cursor, Container& container) {
  while (!cursor.at_end()) {
    const size_t begin = cursor.position();
    Block block;
    const auto header = cursor.take_sized();
    const Counts counts = header ? counts_of(*header) : Counts();
    const auto payload = header ? cursor.take(counts.payload_bytes) : std::nullopt;
    if (!payload) {
      container.breaks_off = fmt::format("in the block that begins at byte {}", begin);
      return {};
    }
    block.header = *header;
    if (!deal(*payload, counts, block)) {
      return fail("is damaged: the messages of the block that begins at byte {} do not fill it", begin);
    }
    container.blocks.push_back(std::move(block));
  }
  return {};
}

}  // namespace

Result<ReportBytes> ReportBytes::open(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (!is_zstd(file->bytes())) return ReportBytes(std::move(*file), {});
  auto unpacked = unzstd(file->bytes(), kRoomToUnpack + kMaxExpansion * file->bytes().size());
  if (!unpacked) return fail("{} {}", path, unpacked.error().message);
  return ReportBytes(std::move(*file), std::move(*unpacked));
}

Result<Container> split_container(std::string_view bytes) {
  Cursor cursor(bytes);
  if (cursor.take(kMagic.size()) != kMagic) return fail("is not an Nsight Compute report");
  const auto header = cursor.take_sized();
  if (!header) return fail("is truncated within its first bytes");
  SONDE_TRY(check_version(*header));
  Container container;
  SONDE_TRY(read_blocks(cursor, container));
  return container;
}

}  // namespace sonde::ncu
