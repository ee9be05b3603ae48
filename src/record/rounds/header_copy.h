#pragma once

#include <array>
#include <cstring>

#include "wire/layout.h"

namespace sonde::record {

/// The mapping's header as it was at a time. What programs write there is only numbers.
class HeaderCopy {
 public:
  explicit HeaderCopy(const wire::Header& header) { std::memcpy(bytes_.data(), &header, sizeof header); }

  [[nodiscard]] wire::Header& get() { return *reinterpret_cast<wire::Header*>(bytes_.data()); }

  /// Losses count from `before` on.
  void subtract_losses(HeaderCopy& before) {
    wire::Header& mine = get();
    for (size_t i = 0; i < std::size(mine.lost); ++i) mine.lost[i].fetch_sub(before.get().lost[i].load());
    mine.cut_texts.fetch_sub(before.get().cut_texts.load());
    mine.refused.fetch_sub(before.get().refused.load());
    mine.rounds.refused.fetch_sub(before.get().rounds.refused.load());
  }

 private:
  alignas(wire::Header) std::array<std::byte, sizeof(wire::Header)> bytes_;
};

}  // namespace sonde::record
