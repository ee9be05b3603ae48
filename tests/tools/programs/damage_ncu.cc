#include <algorithm>
#include <iterator>

#include <boost/unordered/unordered_flat_set.hpp>
#include <protozero/varint.hpp>

#include "base/files/protobuf.h"
#include "damage.h"
#include "importers/ncu/container.h"

namespace sonde::test {
namespace {

/// Position of a field in its message.
struct Place {
  uint32_t number = 0;
  size_t begin = 0;    ///< of its tag
  size_t content = 0;  ///< of what it holds, after its length where it has one
  size_t end = 0;
  bool sized = false;
};

/// The fields of a message, as far as the bytes are one.
std::vector<Place> fields_of(std::string_view message) {
  std::vector<Place> fields;
  protozero::pbf_reader reader(message.data(), message.size());
  const auto position = [&] { return message.size() - reader.length(); };
  try {
    for (size_t begin = 0; reader.next(); begin = position()) {
      Place field{.number = reader.tag(), .begin = begin, .content = position()};
      field.sized = reader.wire_type() == protozero::pbf_wire_type::length_delimited;
      if (field.sized) {
        field.content = static_cast<size_t>(reader.get_view().data() - message.data());
      } else {
        reader.skip();
      }
      field.end = position();
      fields.push_back(field);
    }
  } catch (const protozero::exception&) {
    return {};
  }
  return fields;
}

void add_varint(std::string& text, uint64_t value) { protozero::write_varint(std::back_inserter(text), value); }

/// The message with other content in one of its fields, whose length is made to fit.
std::string with_content(std::string_view message, const Place& field, std::string_view content) {
  std::string changed(message.substr(0, field.begin));
  add_varint(changed, uint64_t{field.number} << 3 | 2);
  add_varint(changed, content.size());
  changed += content;
  changed += message.substr(field.end);
  return changed;
}

std::string sized(std::string_view bytes) {
  const auto size = static_cast<uint32_t>(bytes.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)).append(bytes);
}

class NcuSubject final : public Subject {
 public:
  NcuSubject(std::string_view bytes, ncu::Container container) : bytes_(bytes), container_(std::move(container)) {
    for (size_t i = 0; i < container_.blocks.size(); ++i) {
      const ncu::Block& block = container_.blocks[i];
      pieces_.push_back({i, block.header});
      for (const std::string_view source : block.sources) pieces_.push_back({i, source});
      for (const std::string_view result : block.results) pieces_.push_back({i, result});
    }
  }

  [[nodiscard]] std::string_view bytes() const override { return bytes_; }

  [[nodiscard]] std::vector<size_t> borders() const override {
    constexpr size_t kSize = sizeof(uint32_t);
    std::vector<size_t> found = {0, ncu::kMagic.size(), ncu::kMagic.size() + kSize, bytes_.size()};
    for (const Piece& piece : pieces_) {
      const size_t begin = offset(piece.bytes);
      found.insert(found.end(), {begin - kSize, begin, begin + piece.bytes.size()});
    }
    return found;
  }

  /// One cut for each way down to a kind of field, with all messages around it made to fit: where a field is repeated,
  /// its first occurrence in the report stands for all.
  void cut_inside(const ReadBytes& read) const override {
    Ways seen;
    for (const Piece& piece : pieces_) {
      const bool head = is_header(piece);
      cut_message(piece.bytes,
                  head               ? "head"
                  : is_source(piece) ? "source"
                                     : "result",
                  seen, [&](const std::string& cut) { read(with_piece(piece, cut)); });
    }
  }

  [[nodiscard]] std::string change_inside(Chance& chance) override {
    const Piece& piece = pieces_[chance.below(pieces_.size())];
    return with_piece(piece, changed_message(piece.bytes, chance));
  }

 private:
  struct Piece {
    size_t block;
    std::string_view bytes;
  };
  using Ways = boost::unordered_flat_set<std::string>;
  using TakeMessage = std::function<void(const std::string&)>;

  [[nodiscard]] size_t offset(std::string_view piece) const {
    return static_cast<size_t>(piece.data() - bytes_.data());
  }
  [[nodiscard]] bool is_header(const Piece& piece) const {
    return container_.blocks[piece.block].header.data() == piece.bytes.data();
  }
  [[nodiscard]] bool is_source(const Piece& piece) const {
    const auto& sources = container_.blocks[piece.block].sources;
    return std::ranges::any_of(sources, [&](std::string_view s) { return s.data() == piece.bytes.data(); });
  }

  /// The file with other bytes in the place of a piece. The last field of a number counts, so that the payload's new
  /// size goes behind the header's fields.
  [[nodiscard]] std::string with_piece(const Piece& piece, std::string_view changed) const {
    constexpr uint64_t kPayloadSize = 5 << 3;
    const ncu::Block& block = container_.blocks[piece.block];
    const size_t begin = offset(block.header) - sizeof(uint32_t);
    const size_t payload = offset(block.header) + block.header.size();
    const size_t end = piece.block + 1 < container_.blocks.size()
                           ? offset(container_.blocks[piece.block + 1].header) - sizeof(uint32_t)
                           : bytes_.size();
    std::string header(is_header(piece) ? changed : block.header);
    std::string rest(bytes_.substr(payload, end - payload));
    if (!is_header(piece)) {
      const size_t at = offset(piece.bytes) - payload;
      rest.replace(at - sizeof(uint32_t), sizeof(uint32_t) + piece.bytes.size(), sized(changed));
      add_varint(header, kPayloadSize);
      add_varint(header, rest.size());
    }
    return std::string(bytes_.substr(0, begin)).append(sized(header)).append(rest).append(bytes_.substr(end));
  }

  static void cut_message(std::string_view message, const std::string& way, Ways& seen, const TakeMessage& take) {
    for (const Place& field : fields_of(message)) {
      const std::string here = fmt::format("{}.{}", way, field.number);
      const std::string_view content = message.substr(field.content, field.end - field.content);
      if (seen.insert(here).second) {
        for (const size_t at : {field.begin, field.content, field.end}) {
          for (const size_t place : {at == 0 ? 0 : at - 1, at, at + 1}) take(std::string(message.substr(0, place)));
        }
      }
      if (!field.sized) continue;
      cut_message(content, here, seen, [&](const std::string& cut) { take(with_content(message, field, cut)); });
    }
  }

  /// Goes down some way into the message and there changes bytes, or leaves a field out, or says it twice.
  static std::string changed_message(std::string_view message, Chance& chance) {
    const auto fields = fields_of(message);
    if (fields.empty()) return chance.changed(message);
    const Place& field = fields[chance.below(fields.size())];
    const std::string_view whole = message.substr(field.begin, field.end - field.begin);
    if (field.sized && chance.below(4) != 0) {
      return with_content(message, field,
                          changed_message(message.substr(field.content, field.end - field.content), chance));
    }
    std::string changed(message);
    switch (chance.below(4)) {
      case 0: changed.erase(field.begin, whole.size()); break;
      case 1: changed.insert(field.end, whole); break;
      case 2: changed.replace(field.begin, whole.size(), chance.changed(whole)); break;
      default: changed = chance.changed(message); break;
    }
    return changed;
  }

  std::string_view bytes_;
  ncu::Container container_;
  std::vector<Piece> pieces_;
};

}  // namespace

Result<std::unique_ptr<Subject>> ncu_subject(std::string_view bytes) {
  auto container = ncu::split_container(bytes);
  if (!container) return std::unexpected(container.error());
  if (container->breaks_off || container->blocks.empty()) return fail("the report is not whole");
  return std::make_unique<NcuSubject>(bytes, std::move(*container));
}

}  // namespace sonde::test
