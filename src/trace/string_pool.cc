#include "trace/string_pool.h"

#include <algorithm>

namespace sonde {

constexpr size_t kBlockBytes = size_t{64} * 1024;

StringPool::StringPool(const StringPool& other) {
  for (const std::string_view text : other.views_) static_cast<void>(intern(text));
}

NameId StringPool::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<NameId>(views_.size());
  views_.push_back(keep(text));
  ids_.emplace(views_.back(), id);
  return id;
}

NameId StringPool::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? kNone : found->second;
}

std::string_view StringPool::keep(std::string_view text) {
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size()) {
    blocks_.emplace_back().reserve(std::max(kBlockBytes, text.size()));
  }
  std::vector<char>& block = blocks_.back();
  const size_t at = block.size();
  block.insert(block.end(), text.begin(), text.end());
  bytes_ += text.size();
  return {block.data() + at, text.size()};
}

}  // namespace sonde
