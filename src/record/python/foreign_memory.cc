#include "record/python/foreign_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace sonde::record::python {
namespace {

constexpr size_t kPiecesAtOnce = 64;

// NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process, never used here.
void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

/// Linux reads piece by piece and stops at the first that it cannot read.
void ProcessMemory::read(std::span<Piece> pieces) const {
  for (Piece& piece : pieces) piece.read = false;
  while (!pieces.empty()) {
    const size_t whole = read_some(pieces.first(std::min(pieces.size(), kPiecesAtOnce)));
    const bool all = whole == std::min(pieces.size(), kPiecesAtOnce);
    if (!all && error_ != 0 && error_ != EFAULT) return;  // the process is gone, or may not be read
    pieces = pieces.subspan(whole + (all ? 0 : 1));
  }
}

/// Gives how many of the first pieces are read.
size_t ProcessMemory::read_some(std::span<Piece> pieces) const {
  std::array<iovec, kPiecesAtOnce> here{};
  std::array<iovec, kPiecesAtOnce> there{};
  for (size_t i = 0; i < pieces.size(); ++i) {
    here[i] = {pieces[i].into.data(), pieces[i].into.size()};
    there[i] = {pointer(pieces[i].address), pieces[i].into.size()};
  }
  const ssize_t got = process_vm_readv(process_, here.data(), pieces.size(), there.data(), pieces.size(), 0);
  error_ = got < 0 ? errno : 0;
  size_t left = got < 0 ? 0 : static_cast<size_t>(got);
  size_t whole = 0;
  while (whole < pieces.size() && pieces[whole].into.size() <= left) {
    if (got < 0) break;
    left -= pieces[whole].into.size();
    pieces[whole++].read = true;
  }
  return whole;
}

}  // namespace sonde::record::python
