#include "record/python/stack_table.h"

#include <ranges>

#include "record/python/line_table.h"
#include "record/python/records.h"

namespace sonde::record::python {

uint32_t StackTable::node_of(uint32_t process, const Layout& layout, const CodeObjects& codes,
                             std::span<const RawFrame> frames, std::vector<std::byte>& definitions) {
  uint32_t node = 0;
  for (const RawFrame& raw : std::views::reverse(frames)) {
    const uint32_t frame = frame_of(process, layout, codes, raw, definitions);
    const auto next = static_cast<uint32_t>(nodes_.size() + 1);
    const auto [found, fresh] = nodes_.try_emplace(uint64_t{node} << 32U | frame, next);
    if (fresh) append(NodeRecord{.id = next, .parent = node, .frame = frame}, definitions);
    node = found->second;
  }
  return node;
}

uint32_t StackTable::frame_of(uint32_t process, const Layout& layout, const CodeObjects& codes, const RawFrame& frame,
                              std::vector<std::byte>& definitions) {
  const uint32_t number = codes.number(frame.code);
  const uint64_t of = uint64_t{process} << 32U | number;
  const int64_t offset = offset_of(layout, frame);
  const auto [place, new_place] = places_.try_emplace(Key{of, static_cast<uint64_t>(offset)}, 0);
  if (!new_place) return place->second;
  const Code& code = codes.at(number);
  const int32_t line = line_of(layout.minor, code.lines, code.first_line, offset);
  const auto [found, fresh] = lines_.try_emplace(Key{of, static_cast<uint64_t>(line)}, frames_);
  place->second = found->second;
  if (fresh) append(FrameRecord{.id = frames_++, .line = line}, code.function, code.file, definitions);
  return found->second;
}

void StackTable::forget(uint32_t process) {
  const auto of_it = [process](const auto& entry) { return entry.first.high >> 32U == process; };
  boost::unordered::erase_if(places_, of_it);
  boost::unordered::erase_if(lines_, of_it);
}

}  // namespace sonde::record::python
