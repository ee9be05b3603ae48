#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"
#include "wire/libraries.h"

namespace sonde::record {

/// Of which libraries there are calls, by wire::Library.
using LibrariesSeen = std::array<bool, wire::kLibraries>;

/// Calls of NVIDIA's libraries as rows: cuBLAS' and cuDNN's as calls, as Nsight Systems has them; those of the others
/// as ranges of a domain with the library's name, which is what NCCL itself makes of them. A call that a library makes
/// of its own functions within another is no row.
class LibraryCalls {
 public:
  explicit LibraryCalls(Trace& trace) : trace_(trace) {}

  void begin_thread(ThreadId thread);
  /// The calls of a thread come in the order of their ends.
  void add(wire::Library library, NameId name, int64_t start_ns, int64_t end_ns);
  /// Notes in which processes NCCL made ranges itself.
  void see(const Ranges& ranges);
  /// To be called when all other ranges were seen: calls of processes whose NCCL made ranges itself are left out.
  /// `added` is called behind each row.
  void finish(const std::function<void()>& added);
  /// Of which libraries there are calls.
  [[nodiscard]] const LibrariesSeen& seen() const { return seen_; }

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

  Trace& trace_;
  ThreadId thread_ = kNone;
  size_t first_ = 0;  ///< of the thread
  std::vector<Call> calls_;
  std::set<ProcessId> with_nccl_ranges_;
  LibrariesSeen seen_{};
};

/// The domain of a library's ranges; empty where its calls are rows of their own.
[[nodiscard]] std::string_view domain_of(wire::Library library);

/// What the environment of the program names them by (wire::kLibrariesVariable); empty where none is wanted.
[[nodiscard]] std::string library_list(const std::vector<std::string>& names);

/// The variable of glibc's settings, and one for its front: what the program set itself comes later, and counts. With
/// an auditor glibc lays the thread's variables out before it maps the program's libraries, and those of libraries that
/// must be there from the start (jemalloc, tcmalloc, sanitizers) come out of some 1.7 KB: the program would not start.
/// The leak sanitizer of g++ 12 takes 56,240 bytes. It is no more, since each thread gives as much of its stack, and
/// those whose stack is smaller cannot be made; the thread sanitizer's 785,760 bytes are left to its users.
inline constexpr const char* kLoaderVariable = "GLIBC_TUNABLES";
inline constexpr const char* kRoomForThreadVariables = "glibc.rtld.optional_static_tls=65536";

}  // namespace sonde::record
