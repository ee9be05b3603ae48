#include "record/python/stacks.h"

#include <algorithm>
#include <array>

namespace sonde::record::python {
namespace {

constexpr size_t kMostInterpreters = 64;
constexpr size_t kMostThreads = 4096;
constexpr size_t kThreadStateBytes = 320;  ///< of a thread state: what is read of it, in every version
constexpr size_t kFrameBytes = 72;         ///< the same of a frame from 3.11 on
constexpr size_t kFrameObjectBytes = 112;
constexpr size_t kGilBytes = 32;

/// FRAME_OWNED_BY_CSTACK of 3.12 and 3.13: a frame of the interpreter's own, without a function.
constexpr char kOwnedByC = 3;
constexpr int kFirstOwnedByC = 12;

/// From 3.11 on frames lie one behind the other, callers first; before, each is an object of its own.
constexpr uint64_t kPageBytes = 4096;
constexpr int kFirstBlocks = 11;

Gil read_gil(const ForeignMemory& memory, const Layout& layout, uint64_t address) {
  std::array<std::byte, kGilBytes> bytes{};
  if (address == 0 || !memory.read(address, bytes)) return {};
  const bool locked = value_at<int32_t>(bytes, layout.gil_locked) == 1;
  return {.address = address, .holder = locked ? value_at<uint64_t>(bytes, layout.gil_holder) : 0};
}

/// What is read of a PyInterpreterState, at once.
struct State {
  uint64_t next = 0;
  uint64_t first_thread = 0;
  uint64_t gil = 0;
};

std::optional<State> read_state(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t address) {
  const Layout& layout = interpreter.layout;
  State state;
  const auto piece = [&](uint32_t offset, uint64_t& into) {
    return Piece{address + offset, std::as_writable_bytes(std::span(&into, 1))};
  };
  const bool has_pointer = layout.gil_pointer != Layout::kNowhere;
  std::array<Piece, 3> pieces = {piece(layout.interpreter_next, state.next),
                                 piece(layout.threads_head, state.first_thread),
                                 piece(has_pointer ? layout.gil_pointer : layout.threads_head, state.gil)};
  memory.read(pieces);
  if (!std::ranges::all_of(pieces, &Piece::read)) return {};
  if (!has_pointer) state.gil = interpreter.runtime + layout.gil;
  return state;
}

std::optional<ThreadState> read_thread(const ForeignMemory& memory, const Layout& layout, uint64_t address,
                                       uint64_t& next) {
  std::array<std::byte, kThreadStateBytes> bytes{};
  if (!memory.read(address, bytes)) return {};
  ThreadState thread{.address = address, .thread_id = value_at<uint64_t>(bytes, layout.thread_id)};
  next = value_at<uint64_t>(bytes, layout.thread_next);
  if (layout.native_thread_id != Layout::kNowhere) {
    thread.number = static_cast<uint32_t>(value_at<uint64_t>(bytes, layout.native_thread_id));
  }
  thread.frame_at = address + layout.frame;
  if (layout.cframe == Layout::kNowhere) {
    thread.frame = value_at<uint64_t>(bytes, layout.frame);
  } else if (const auto cframe = value_at<uint64_t>(bytes, layout.cframe); cframe != 0) {
    thread.frame_at = cframe + layout.frame;
    thread.frame = memory.value<uint64_t>(thread.frame_at).value_or(0);
  }
  return thread;
}

/// The threads of one interpreter; a list that ends nowhere is none.
bool append_threads(const ForeignMemory& memory, const Layout& layout, uint64_t first, uint64_t gil,
                    std::vector<ThreadState>& threads) {
  for (uint64_t address = first; address != 0;) {
    uint64_t next = 0;
    auto thread = read_thread(memory, layout, address, next);
    if (!thread || threads.size() >= kMostThreads) return false;
    thread->gil = gil;
    threads.push_back(*thread);
    address = next;
  }
  return true;
}

}  // namespace

uint64_t innermost_frame(const ForeignMemory& memory, const Layout& layout, uint64_t thread) {
  uint64_t next = 0;
  const auto read = read_thread(memory, layout, thread, next);
  return read ? read->frame : 0;
}

bool read_threads(const ForeignMemory& memory, const Interpreter& interpreter, std::vector<ThreadState>& threads,
                  std::vector<Gil>& gils) {
  const Layout& layout = interpreter.layout;
  threads.clear();
  gils.clear();
  const auto first = memory.value<uint64_t>(interpreter.runtime + layout.interpreters_head);
  if (!first) return false;
  size_t met = 0;
  for (uint64_t address = *first; address != 0; ++met) {
    const auto state = read_state(memory, interpreter, address);
    if (!state || met == kMostInterpreters) return false;
    const Gil gil = read_gil(memory, layout, state->gil);
    if (gil.address != 0) gils.push_back(gil);
    if (!append_threads(memory, layout, state->first_thread, gil.address, threads)) return false;
    address = state->next;
  }
  return true;
}

StackReader::Outcome StackReader::read(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t innermost,
                                       std::vector<RawFrame>& frames) {
  const Layout& layout = interpreter.layout;
  frames.clear();
  block_.bytes.clear();
  places_.clear();
  for (uint64_t address = innermost; address != 0 && frames.size() < kMostFrames;) {
    const auto bytes = frame_at(memory, layout, address);
    if (bytes.empty() || places_.size() > 2 * kMostFrames) return Outcome::torn;
    places_.push_back(address);
    address = value_at<uint64_t>(bytes, layout.frame_back);
    append(layout, bytes, frames);
  }
  return Outcome::whole;
}

/// What one frame says; nothing where it is the interpreter's own.
void StackReader::append(const Layout& layout, std::span<const std::byte> bytes, std::vector<RawFrame>& frames) {
  const bool of_c = layout.minor >= kFirstOwnedByC && value_at<char>(bytes, layout.frame_owner) == kOwnedByC;
  if (of_c) return;
  const bool pointer = layout.minor >= kFirstBlocks;
  frames.push_back(
      {.code = value_at<uint64_t>(bytes, layout.frame_code),
       .at = pointer ? value_at<int64_t>(bytes, layout.frame_at) : int64_t{value_at<int32_t>(bytes, layout.frame_at)}});
}

StackReader::Outcome StackReader::read_at_once(const ForeignMemory& memory, const Interpreter& interpreter,
                                               uint64_t frame_at, std::vector<RawFrame>& frames) {
  const Layout& layout = interpreter.layout;
  const size_t size = layout.minor >= kFirstBlocks ? kFrameBytes : kFrameObjectBytes;
  uint64_t address = 0;
  copies_.resize(places_.size() * size);
  block_.bytes.clear();
  pieces_.assign(1, {frame_at, std::as_writable_bytes(std::span(&address, 1))});
  for (size_t i = 0; i < places_.size(); ++i) {
    pieces_.push_back({places_[i], std::span(copies_).subspan(i * size, size)});
  }
  memory.read(pieces_);
  frames.clear();
  if (!pieces_.front().read || !append_new(memory, interpreter.layout, address, frames)) return Outcome::torn;
  for (auto place = places_.begin(); address != 0; ++place) {
    place = std::ranges::find(place, places_.end(), address);
    if (place == places_.end()) return Outcome::torn;
    const Piece& piece = pieces_[static_cast<size_t>(place - places_.begin()) + 1];
    if (!piece.read) return Outcome::torn;
    append(layout, piece.into, frames);
    address = value_at<uint64_t>(piece.into, layout.frame_back);
  }
  return frames.empty() ? Outcome::torn : Outcome::whole;
}

/// The frames of calls that came since; `address` is then that of one that is known, or 0.
bool StackReader::append_new(const ForeignMemory& memory, const Layout& layout, uint64_t& address,
                             std::vector<RawFrame>& frames) {
  constexpr int kMostNew = 16;
  for (int i = 0; address != 0 && std::ranges::find(places_, address) == places_.end(); ++i) {
    const auto bytes = frame_at(memory, layout, address);
    if (bytes.empty() || i == kMostNew) return false;
    append(layout, bytes, frames);
    address = value_at<uint64_t>(bytes, layout.frame_back);
  }
  return true;
}

/// A frame's bytes, with those of its callers where they lie before it in the same page: the fewer calls, the fewer
/// stacks are torn.
std::span<const std::byte> StackReader::frame_at(const ForeignMemory& memory, const Layout& layout, uint64_t address) {
  const bool in_blocks = layout.minor >= kFirstBlocks;
  const size_t size = in_blocks ? kFrameBytes : kFrameObjectBytes;
  const uint64_t place = address - block_.begin;
  const bool held = address >= block_.begin && place < block_.bytes.size() && block_.bytes.size() - place >= size;
  if (held) return std::span(block_.bytes).subspan(place, size);
  block_.begin = in_blocks ? address & ~(kPageBytes - 1) : address;
  block_.bytes.resize(address - block_.begin + size);
  if (memory.read(block_.begin, block_.bytes)) return std::span(block_.bytes).last(size);
  block_.bytes.clear();
  return {};
}

}  // namespace sonde::record::python
