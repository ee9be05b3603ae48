#include <array>

#include "damage.h"
#include "importers/nsys_report/container.h"
#include "nsys_report_writer.h"

namespace sonde::test {
namespace {

class NsysSubject final : public Subject {
 public:
  NsysSubject(std::string_view bytes, nsys::ReportLayout layout, PlainReport plain)
      : bytes_(bytes), layout_(std::move(layout)), plain_(std::move(plain)) {}

  [[nodiscard]] std::string_view bytes() const override { return bytes_; }

  [[nodiscard]] std::vector<size_t> borders() const override {
    std::vector<std::string_view> pieces = {layout_.session, layout_.strings.packed, layout_.threads,
                                            layout_.target,  layout_.clocks,         layout_.about};
    for (const nsys::PackedBlock& block : layout_.blocks) pieces.push_back(block.packed);
    std::vector<size_t> found = {0, 16, bytes_.find('\n')};
    for (const size_t back : {size_t{0}, size_t{1}, size_t{8}, size_t{16}}) found.push_back(bytes_.size() - back);
    for (const std::string_view piece : pieces) {
      if (piece.empty()) continue;
      const auto begin = static_cast<size_t>(piece.data() - bytes_.data());
      found.insert(found.end(), {begin, begin + piece.size()});
    }
    return found;
  }

  /// The pieces are packed: cut ones are among the random changes.
  void cut_inside(const ReadBytes& /*read*/) const override {}

  [[nodiscard]] std::string change_inside(Chance& chance) override {
    std::string& piece = any_piece(chance);
    std::string before = piece;
    chance.change_bytes(piece);
    std::string changed = pack_report(plain_);
    piece = std::move(before);
    return changed;
  }

 private:
  std::string& any_piece(Chance& chance) {
    const std::array<std::string*, 4> others = {&plain_.strings, &plain_.threads, &plain_.target, &plain_.session};
    if (plain_.blocks.empty() || chance.below(4) == 0) return *others[chance.below(others.size())];
    return plain_.blocks[chance.below(plain_.blocks.size())];
  }

  std::string_view bytes_;
  nsys::ReportLayout layout_;
  PlainReport plain_;
};

}  // namespace

Result<std::unique_ptr<Subject>> nsys_subject(std::string_view bytes) {
  auto layout = nsys::read_layout(bytes);
  if (!layout) return std::unexpected(layout.error());
  auto plain = unpack_report(bytes);
  if (!plain) return std::unexpected(plain.error());
  return std::make_unique<NsysSubject>(bytes, std::move(*layout), std::move(*plain));
}

}  // namespace sonde::test
