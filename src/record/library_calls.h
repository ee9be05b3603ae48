#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"
#include "wire/libraries.h"

namespace sonde::record {

/// Calls of NVIDIA's libraries as rows: cuBLAS' and cuDNN's as calls, as Nsight Systems has them; those of the others
/// as ranges of a domain with the library's name, which is what NCCL itself makes of them. A call that a library makes
/// of its own functions within another is no row.
class LibraryCalls {
 public:
  explicit LibraryCalls(Trace& trace) : trace_(trace) {}

  void begin_thread(ThreadId thread);
  /// The calls of a thread come in the order of their ends.
  void add(wire::Library library, NameId name, int64_t start_ns, int64_t end_ns);
  /// To be called when all other ranges are in the trace: calls of processes whose NCCL made ranges itself are left
  /// out.
  void finish();

 private:
  struct Call {
    wire::Library library;
    NameId name;
    ThreadId thread;
    int64_t start;
    int64_t end;
  };

  void add_call(const Call& call, CallClass call_class);
  void add_range(const Call& call);
  [[nodiscard]] DomainId domain_named(std::string_view name);
  [[nodiscard]] std::vector<uint8_t> processes_with_nccl_ranges() const;

  Trace& trace_;
  ThreadId thread_ = kNone;
  size_t first_ = 0;  ///< of the thread
  std::vector<Call> calls_;
};

/// The domain of a library's ranges; empty where its calls are rows of their own.
[[nodiscard]] std::string_view domain_of(wire::Library library);

/// What the environment of the program names them by (wire::kLibrariesVariable); empty where none is wanted.
[[nodiscard]] std::string library_list(const std::vector<std::string>& names);

}  // namespace sonde::record
