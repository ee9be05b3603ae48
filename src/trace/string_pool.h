#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/ids.h"

namespace sonde {

/// Each distinct text once. Views stay valid for the pool's life; ids are dense from 0 in the order of first use.
class StringPool {
 public:
  StringPool() = default;
  StringPool(const StringPool& other);
  StringPool& operator=(const StringPool&) = delete;
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;
  ~StringPool() = default;

  [[nodiscard]] NameId intern(std::string_view text);
  /// The id of a text that is already there, else kNone.
  [[nodiscard]] NameId find(std::string_view text) const;
  /// The text; empty for kNone.
  [[nodiscard]] std::string_view view(NameId id) const { return id < views_.size() ? views_[id] : std::string_view(); }
  [[nodiscard]] size_t size() const { return views_.size(); }
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  std::string_view keep(std::string_view text);

  boost::unordered_flat_map<std::string_view, NameId> ids_;
  std::vector<std::string_view> views_;
  std::deque<std::vector<char>> blocks_;
  size_t bytes_ = 0;
};

}  // namespace sonde
