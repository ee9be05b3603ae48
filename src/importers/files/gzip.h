#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sonde {

[[nodiscard]] bool is_gzip(std::string_view bytes);

/// What a gzip file holds; with `whole` false, what could be had of one that is damaged or breaks off.
struct Inflated {
  std::unique_ptr<char[]> data;
  size_t size = 0;
  bool whole = false;
  [[nodiscard]] std::string_view text() const { return {data.get(), size}; }
};

/// Inflates all members of a gzip file. One member goes in a single step, the rest, and damaged ones, piece by piece.
[[nodiscard]] Inflated gunzip(std::string_view bytes);

/// The first inflated bytes, at most `count`, of a file of which perhaps only the beginning is there.
[[nodiscard]] std::string gunzip_head(std::string_view bytes, size_t count);

}  // namespace sonde
