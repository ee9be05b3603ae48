#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "importers/torch_snapshot/pickle.h"
#include "trace/trace.h"

namespace sonde::torch_snapshot {

/// A call of the allocator: what PyTorch did, and what the program did.
struct Stack {
  ChainId chain = kNone;  ///< Python's functions, and of C++ autograd's; kNone where there are none
  NameId op = kNone;      ///< the outermost operator that the innermost Python function called
};

/// Stacks of a snapshot as call chains of the trace. Snapshots have the same list of frames for all calls from a place.
class Stacks {
 public:
  Stacks(const Pickle& pickle, Trace& trace) : p_(pickle), trace_(trace) {}

  [[nodiscard]] Stack of(Pickle::Id frames);

 private:
  [[nodiscard]] Stack make(Pickle::Id frames);
  void add_frame(std::string_view symbol, std::string_view file, std::optional<int64_t> line);

  const Pickle& p_;
  Trace& trace_;
  boost::unordered_flat_map<Pickle::Id, Stack> known_;
};

}  // namespace sonde::torch_snapshot
