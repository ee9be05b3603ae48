#include <algorithm>
#include <array>
#include <iterator>

#include "exporters/nsys/sections.h"

namespace sonde::nsys_export {
namespace {

/// A frame of a chain under the id that its table gives the chain.
struct Frame {
  int64_t id;
  size_t frame;  ///< row of CallChains
  int64_t depth;
};
using Frames = std::vector<Frame>;

Cell id_of(const Context&, const Frames& f, size_t row) { return f[row].id; }
Cell depth_of(const Context&, const Frames& f, size_t row) { return f[row].depth; }
Cell symbol_of(const Context& c, const Frames& f, size_t row) {
  return text_id(c, c.trace.chains.symbol, f[row].frame);
}
Cell module_of(const Context& c, const Frames& f, size_t row) {
  return text_id(c, c.trace.chains.module, f[row].frame);
}
Cell address_of(const Context& c, const Frames& f, size_t row) { return cell(c.trace.chains.address, f[row].frame); }
Cell mode_of(const Context& c, const Frames& f, size_t row) { return code(c.trace.chains.kernel_mode, f[row].frame); }

/// A frame whose symbol is not known is called by its address.
Cell unresolved_of(const Context& c, const Frames& f, size_t row) {
  const NameId symbol = c.trace.chains.symbol[f[row].frame];
  const bool unresolved = symbol != kNone && c.trace.name(symbol).starts_with("0x");
  return unresolved ? Cell(1) : Cell();
}

using FrameColumn = ColumnOf<Frames>;
constexpr std::array kCudaColumns = {
    FrameColumn{"id", kIntegerSet, id_of},           FrameColumn{"symbol", kIntegerSet, symbol_of},
    FrameColumn{"module", kIntegerSet, module_of},   FrameColumn{"unresolved", kInteger, unresolved_of},
    FrameColumn{"originalIP", kInteger, address_of}, FrameColumn{"stackDepth", kIntegerSet, depth_of},
};
constexpr std::array kHostColumns = {
    FrameColumn{"id", kIntegerSet, id_of},
    FrameColumn{"symbol", kIntegerSet, symbol_of},
    FrameColumn{"module", kIntegerSet, module_of},
    FrameColumn{"kernelMode", kInteger, mode_of},
    FrameColumn{"thumbCode", kInteger},
    FrameColumn{"unresolved", kInteger, unresolved_of},
    FrameColumn{"specialEntry", kInteger},
    FrameColumn{"originalIP", kInteger, address_of},
    FrameColumn{"unwindMethod", kInteger},
    FrameColumn{"stackDepth", kIntegerSet, depth_of},
};

constexpr std::array kPythonFrameColumns = {
    FrameColumn{"id", kIntegerSet, id_of},
    FrameColumn{"symbol", kIntegerSet, symbol_of},
    FrameColumn{"module", kIntegerSet, module_of},
    FrameColumn{
        "line", kInteger,
        [](const Context& c, const Frames& f, size_t row) { return Cell(c.trace.chains.line_of(f[row].frame)); }},
    FrameColumn{"stackDepth", kIntegerSet, depth_of},
};

void add_frames(const CallChains& chains, ChainId chain, int64_t id, Frames& frames) {
  if (chain >= chains.size()) return;
  for (uint32_t f = chains.first[chain]; f < chains.first[chain + 1]; ++f) {
    frames.push_back({id, f, f - chains.first[chain]});
  }
}

/// The frames of each chain of a table's column, once, where that is not in `written` yet.
Frames used_by(const Ids& column, const CallChains& chains, boost::unordered_flat_set<uint32_t>& written) {
  Ids used;
  std::ranges::copy_if(column, std::back_inserter(used), [&](ChainId c) { return written.insert(c).second; });
  std::ranges::sort(used);
  Frames frames;
  for (const ChainId chain : used) add_frames(chains, chain, int64_t{chain} + 1, frames);
  return frames;
}

/// Samples own their chains: those are numbered as the samples are.
Frames of_samples(const Samples& samples, const CallChains& chains, int64_t samples_before) {
  Frames frames;
  for (size_t row = 0; row < samples.chain.size(); ++row) {
    add_frames(chains, samples.chain[row], samples_before + static_cast<int64_t>(row) + 1, frames);
  }
  return frames;
}

constexpr std::string_view kKey = "id, stackDepth";

}  // namespace

Status write_call_chains(Output& out, const Context& c) {
  const Trace& t = c.trace;
  const Frames cuda = used_by(t.api.chain, t.chains, out.api_chains);
  SONDE_TRY(write_rows<Frames>(out, {"CUDA_CALLCHAINS", kKey}, kCudaColumns, c, cuda, cuda.size()));
  const Frames os = used_by(t.os_calls.chain, t.chains, out.os_chains);
  SONDE_TRY(write_rows<Frames>(out, {"OSRT_CALLCHAINS", kKey}, kHostColumns, c, os, os.size()));
  const Frames python = used_by(t.python_samples.chain, t.chains, out.python_chains);
  SONDE_TRY(write_rows<Frames>(out, {"SONDE_PYTHON_CALLCHAIN", kKey}, kPythonFrameColumns, c, python, python.size()));
  const Frames samples = of_samples(t.samples, t.chains, c.samples_before);
  return write_rows<Frames>(out, {"SAMPLING_CALLCHAINS", kKey}, kHostColumns, c, samples, samples.size());
}

}  // namespace sonde::nsys_export
