#include "inject/guarded_call.h"

#include <unwind.h>

#include <atomic>

/// This library has no C++ runtime, which catching needs, and what is thrown may be of a runtime of NVIDIA's own. So
/// the unwinder is told by a personality routine that call_guarded() handles everything, and left by a jump: that needs
/// nothing of the unwinder, of which there may be several.
namespace sonde::inject {
namespace {

/// Where a call is left to, innermost first.
struct Landing {
  void* place[5];  ///< __builtin_setjmp()'s
  Landing* outer;
};
constinit thread_local Landing* landing = nullptr;

constinit std::atomic<bool> refused{false};

/// Does not return to its caller, as __builtin_longjmp() needs it.
[[noreturn, gnu::noinline]] void leave_call() noexcept { __builtin_longjmp(landing->place, 1); }

/// The personality routine: what the unwinder asks about a frame of throws().
extern "C" __attribute__((used, visibility("hidden"))) _Unwind_Reason_Code sonde_guard(int, _Unwind_Action actions,
                                                                                       _Unwind_Exception_Class,
                                                                                       _Unwind_Exception* thrown,
                                                                                       _Unwind_Context*) noexcept {
  if ((actions & _UA_FORCE_UNWIND) != 0) return _URC_CONTINUE_UNWIND;  // the thread ends
  if ((actions & _UA_SEARCH_PHASE) != 0) return _URC_HANDLER_FOUND;
  if ((actions & _UA_HANDLER_FRAME) == 0) return _URC_CONTINUE_UNWIND;
  if (thrown->exception_cleanup != nullptr) thrown->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, thrown);
  leave_call();
}

/// Whether something was thrown.
[[gnu::noinline]] bool throws(void (*call)(const void*), const void* data) noexcept {
  asm volatile(".cfi_personality 0x1b, sonde_guard");  // of this function's frame; 0x1b: relative, 4 bytes
  Landing here{{}, landing};
  if (__builtin_setjmp(here.place) != 0) {
    landing = landing->outer;
    return true;
  }
  landing = &here;
  call(data);
  landing = here.outer;
  return false;
}

}  // namespace

int32_t call_guarded(void (*call)(const void*), const void* data) noexcept {
  if (refused.load(std::memory_order_relaxed)) return wire::kTooLate;
  return throws(call, data) ? wire::kThrew : 0;
}

void refuse_calls() noexcept { refused.store(true); }

}  // namespace sonde::inject
