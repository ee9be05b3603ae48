#include "inject/library_calls.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "inject/attachment.h"
#include "inject/encode.h"
#include "inject/export.h"
#include "inject/name_table.h"
#include "inject/thread_chunk.h"
#include "wire/libraries.h"

/// Calls of NVIDIA's libraries. libsonde_audit.so makes their functions be found as stubs of this file, whatever their
/// arguments are. A stub calls the function with the registers as they came and with a copy of what stands on the
/// stack, from a frame as any other: exceptions, longjmp() and the end of the thread go through it, and such a call is
/// not recorded.

// NOLINTBEGIN(readability-identifier-naming): they are named in wire/libraries.h, for another library.
extern "C" {
SONDE_EXPORT sonde::wire::LibraryFunction sonde_library_functions[sonde::wire::kMaxLibraryFunctions] = {};
SONDE_EXPORT uint32_t sonde_library_count = 0;
SONDE_EXPORT std::atomic<uint64_t>* sonde_library_lost = nullptr;
}
// NOLINTEND(readability-identifier-naming)

namespace sonde::inject {
namespace {

/// Arguments on the stack that a stub hands on: the calls with the most, of cuDNN, have thirty arguments, six of them
/// in registers. A struct by value (ncclUniqueId, 128 bytes) counts as what it takes.
constexpr int64_t kStackWords = 32;
constexpr uintptr_t kPage = 4096;

/// Of a stub's frame; the code below knows where they lie.
struct Frame {
  int64_t words;  ///< to copy from the stack
  int64_t start;  ///< of the call, 0 where it is not recorded
};

/// Whether the kernel can read there: it looks at the set of signals before it refuses what to do with them.
bool is_readable(uintptr_t address) noexcept {
  constexpr int kNothingToDo = -1;
  constexpr size_t kSetBytes = 8;
  const int error = errno;
  syscall(SYS_rt_sigprocmask, kNothingToDo, address, nullptr, kSetBytes);
  const bool readable = errno != EFAULT;
  errno = error;
  return readable;
}

/// What stands above the arguments may end with a page: a coroutine's stack may have nothing, or a guard, behind it.
int64_t words_at(uintptr_t arguments) noexcept {
  const uintptr_t next = (arguments | (kPage - 1)) + 1;
  const auto to_next = static_cast<int64_t>((next - arguments) / sizeof(int64_t));
  if (to_next >= kStackWords) return kStackWords;
  return is_readable(next) ? kStackWords : to_next;
}

uint32_t string_of(wire::LibraryFunction& function) noexcept {
  uint32_t number = function.string.load(std::memory_order_relaxed);
  if (number == 0) {
    number = register_name(strings, 0, text_of(function.name));
    function.string.store(number, std::memory_order_relaxed);
  }
  return known_name(strings, number);
}

void write_call(wire::LibraryFunction& function, int64_t start, int64_t end) noexcept {
  constexpr uint32_t kBytes = sizeof(wire::RecordHead) + sizeof(wire::LibraryCallBody);
  const uint32_t name = string_of(function);
  std::byte* at = begin_record(kBytes);
  if (at == nullptr) return;
  at = put_head(at, wire::Kind::library_call, kBytes, 0, static_cast<uint16_t>(function.library), start);
  put(at, wire::LibraryCallBody{end, name, 0});
  commit_record(kBytes);
}

}  // namespace

void count_lost_functions() noexcept {
  sonde_library_lost = &attachment.header->lost[static_cast<uint32_t>(wire::Loss::no_stub)];
}

/// The stubs call it before the function that it gives.
extern "C" void* sonde_library_enter(uint32_t number, uintptr_t arguments, Frame* frame) noexcept {
  frame->words = words_at(arguments);
  frame->start = records(wire::kWantLibraries) ? now_ns() : 0;
  return sonde_library_functions[number].function;
}

/// And this one behind it.
extern "C" void sonde_library_leave(uint32_t number, const Frame* frame) noexcept {
  if (frame->start == 0 || !records(wire::kWantLibraries)) return;
  const int64_t end = now_ns();
  const int error = errno;
  write_call(sonde_library_functions[number], frame->start, end);
  errno = error;
}

#ifdef __x86_64__
// The stack of a stub, from the caller's down: arguments, return address, number of the stub, rbp (to which rbp
// points), Frame at -16, eight registers at -80, xmm0 to xmm7 at -216, the copy of the arguments. The address of the
// CFA within a stub is that of procedure linkage tables: 8 bytes more once the number has been pushed, at its ninth
// byte.
static_assert(wire::kLibraryStubBytes == 16 && wire::kMaxLibraryFunctions == 16384);
__asm__(R"(
  .pushsection .text
  .globl sonde_library_stubs
  .type sonde_library_stubs, @function
  .balign 16
sonde_library_stubs:
  .cfi_startproc
  .cfi_escape 0x0f, 0x0b, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22
  sonde_stub = 0
  .rept 16384
  .balign 16
  endbr64
  .byte 0x68
  .long sonde_stub
  jmp sonde_library_common
  sonde_stub = sonde_stub + 1
  .endr
  .cfi_endproc
  .size sonde_library_stubs, . - sonde_library_stubs

  .type sonde_library_common, @function
sonde_library_common:
  .cfi_startproc
  .cfi_def_cfa %rsp, 16
  pushq %rbp
  .cfi_def_cfa_offset 24
  .cfi_offset %rbp, -24
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $216, %rsp
  movq %rdi, -24(%rbp)
  movq %rsi, -32(%rbp)
  movq %rdx, -40(%rbp)
  movq %rcx, -48(%rbp)
  movq %r8, -56(%rbp)
  movq %r9, -64(%rbp)
  movq %rax, -72(%rbp)
  movq %r10, -80(%rbp)
  movaps %xmm0, (%rsp)
  movaps %xmm1, 16(%rsp)
  movaps %xmm2, 32(%rsp)
  movaps %xmm3, 48(%rsp)
  movaps %xmm4, 64(%rsp)
  movaps %xmm5, 80(%rsp)
  movaps %xmm6, 96(%rsp)
  movaps %xmm7, 112(%rsp)
  movl 8(%rbp), %edi
  leaq 24(%rbp), %rsi
  leaq -16(%rbp), %rdx
  call sonde_library_enter
  movq %rax, %r11
  movaps (%rsp), %xmm0
  movaps 16(%rsp), %xmm1
  movaps 32(%rsp), %xmm2
  movaps 48(%rsp), %xmm3
  movaps 64(%rsp), %xmm4
  movaps 80(%rsp), %xmm5
  movaps 96(%rsp), %xmm6
  movaps 112(%rsp), %xmm7
  subq $256, %rsp
  movq -16(%rbp), %rcx
  leaq 24(%rbp), %rsi
  movq %rsp, %rdi
  rep movsq
  movq -24(%rbp), %rdi
  movq -32(%rbp), %rsi
  movq -40(%rbp), %rdx
  movq -48(%rbp), %rcx
  movq -56(%rbp), %r8
  movq -64(%rbp), %r9
  movq -72(%rbp), %rax
  movq -80(%rbp), %r10
  call *%r11
  movq %rax, -24(%rbp)
  movq %rdx, -32(%rbp)
  movups %xmm0, -56(%rbp)
  movups %xmm1, -72(%rbp)
  movl 8(%rbp), %edi
  leaq -16(%rbp), %rsi
  call sonde_library_leave
  movq -24(%rbp), %rax
  movq -32(%rbp), %rdx
  movups -56(%rbp), %xmm0
  movups -72(%rbp), %xmm1
  leave
  .cfi_def_cfa %rsp, 16
  leaq 8(%rsp), %rsp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size sonde_library_common, . - sonde_library_common
  .popsection
)");
#endif

}  // namespace sonde::inject
