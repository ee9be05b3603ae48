#include "record/python/python_events.h"

#include <algorithm>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/cpu/task_rows.h"
#include "record/python/records.h"
#include "record/python/stacks.h"
#include "record/text.h"

namespace sonde::record {
namespace {

using python::PythonRecord;
using python::RecordKind;

class PythonFilling {
 public:
  PythonFilling(Trace& trace, const CpuSpan& span) : trace_(trace), span_(span), tasks_(trace) {}

  void define(const PythonRecord& record) {
    switch (record.kind) {
      case RecordKind::frame:
        frames_[record.frame.id] = {intern_text(trace_, record.first), intern_text(trace_, record.second),
                                    record.frame.line > 0 ? record.frame.line : kUnknown32};
        return;
      case RecordKind::node: nodes_[record.node.id] = {record.node.parent, record.node.frame}; return;
      case RecordKind::process: return add_process(record);
      default: return;
    }
  }

  void add(const PythonRecord& record) {
    if (record.kind == RecordKind::sample) return sample(record.sample);
    if (record.kind != RecordKind::tally) return;
    tally_.torn += record.tally.torn;
    tally_.missed += record.tally.missed;
    tally_.nameless += record.tally.nameless;
    tally_.own_ns += record.tally.own_ns;
  }

  [[nodiscard]] PythonTally tally() { return std::move(tally_); }

 private:
  struct Frame {
    NameId function;
    NameId file;
    int32_t line;
  };
  struct Node {
    uint32_t parent;
    uint32_t frame;
  };

  void add_process(const PythonRecord& record) {
    const auto same = [&](const PythonTally::Process& p) {
      return p.number == record.process.process && p.version == record.first && p.problem == record.second;
    };
    if (std::ranges::any_of(tally_.processes, same)) return;
    tally_.processes.push_back({record.process.process, std::string(record.first), std::string(record.second)});
  }

  void sample(const python::SampleRecord& sample) {
    if (!span_.holds(sample.time)) return;
    PythonSamples& s = trace_.python_samples;
    s.start.push_back(sample.time - span_.begin);
    s.thread.push_back(tasks_.thread(sample.process, sample.thread));
    s.state.push_back(static_cast<uint8_t>(sample.state));
    s.gil.push_back(static_cast<uint8_t>(sample.gil));
    s.chain.push_back(chain(sample.node));
    ++tally_.samples;
    if (s.gil.back() == static_cast<uint8_t>(GilUse::waits)) ++tally_.gil_waits;
    if (s.state.back() != static_cast<uint8_t>(ThreadState::unknown)) tally_.states = true;
    tally_.last_ns = std::max(tally_.last_ns, sample.time);
  }

  ChainId chain(uint32_t node) {
    if (node == 0) return kNone;
    const auto next = static_cast<ChainId>(trace_.chains.size());
    const auto [found, fresh] = chains_.try_emplace(node, next);
    if (!fresh) return found->second;
    CallChains& chains = trace_.chains;
    chains.line.resize(chains.symbol.size(), kUnknown32);
    size_t depth = 0;
    for (auto at = nodes_.find(node); at != nodes_.end() && depth < python::kMostFrames; ++depth) {
      add_frame(at->second.frame);
      at = nodes_.find(at->second.parent);
    }
    chains.first.push_back(static_cast<uint32_t>(chains.symbol.size()));
    return next;
  }

  void add_frame(uint32_t id) {
    const auto found = frames_.find(id);
    if (found == frames_.end()) return;
    CallChains& chains = trace_.chains;
    chains.symbol.push_back(found->second.function);
    chains.module.push_back(found->second.file);
    chains.line.push_back(found->second.line);
    chains.address.push_back(kUnknown);
    chains.kernel_mode.push_back(0);
  }

  Trace& trace_;
  CpuSpan span_;
  TaskRows tasks_;
  PythonTally tally_;
  boost::unordered_flat_map<uint32_t, Frame> frames_;
  boost::unordered_flat_map<uint32_t, Node> nodes_;
  boost::unordered_flat_map<uint32_t, ChainId> chains_;
};

/// Calls `f(record)` for each of a slice; gives the bytes behind them that were none.
template <typename F>
int64_t each_record(const Slice& slice, F&& f) {
  python::RecordReader reader(slice.records);
  PythonRecord record;
  while (reader.next(record)) f(record);
  return static_cast<int64_t>(reader.left());
}

}  // namespace

PythonTally fill_python_events(Trace& trace, const Slices& slices, const CpuSpan& span, const PartTaker& take) {
  PythonFilling filling(trace, span);
  LettingGo letting_go(slices.let_go);
  int64_t unread = 0;
  for (const Slice& slice : slices.python) {
    const bool definitions = slice.mark == kPythonDefinitionMark;
    unread += each_record(
        slice, [&](const PythonRecord& record) { definitions ? filling.define(record) : filling.add(record); });
    letting_go.has_read(slice);
    if (event_rows(trace) >= kPartRows) give_part(trace, take);
  }
  give_part(trace, take);
  PythonTally tally = filling.tally();
  tally.unread_bytes = unread;
  return tally;
}

}  // namespace sonde::record
