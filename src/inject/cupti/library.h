#pragma once

#include "inject/cupti/abi.h"
#include "inject/guarded_call.h"

/// libcupti, opened when the program first uses CUDA. Looked for, in this order:
///   1. $SONDE_CUPTI: the path of one; then no other is tried
///   2. one that the program has loaded
///   3. the one of the CUDA that the program runs with: beside a loaded libcudart or libcublas, as pip's packages lie
///   4. libcupti.so.13, .12, .11.8 ... .11.4 on the loader's path
///   5. $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*
/// A CUPTI of a newer CUDA than the driver's is left out: the driver would not work with it.
namespace sonde::inject::cupti {

struct Library {
  void* handle = nullptr;
  uint32_t version = 0;  ///< as cuptiGetVersion() numbers them: 18 is CUDA 11.8, 130000 is 13.0
  char path[1024] = {};  ///< as it was opened
#define SONDE_CUPTI(member, symbol, ...) Guarded<Result(__VA_ARGS__)> member;
#include "inject/cupti/functions.inc"
};

/// Opens it at the first call, and leaves it open for the program's life. Null where there is none that works; then
/// why_not_open() says why. Allocates: not for signal handlers.
[[nodiscard]] const Library* open_library() noexcept;

/// The library where it was opened before, else null. Never opens it.
[[nodiscard]] const Library* library() noexcept;

/// One sentence; empty before the first try.
[[nodiscard]] const char* why_not_open() noexcept;

/// Opens the libraries that CUPTI's profilers use, from CUPTI's folder. CUPTI itself opens them by their names, which
/// finds them on the loader's path alone, and not in pip's packages: then cuptiProfilerInitialize() gives 15, and later
/// calls end the program (seen on an H100). Where they are not, nothing happens.
void open_helpers(const Library& library) noexcept;

/// A function of the library by its name; null where it has none. For what functions.inc does not list.
[[nodiscard]] void* symbol(const Library& library, const char* name) noexcept;

/// A result in CUPTI's own words.
[[nodiscard]] const char* text_of(const Library& library, Result result) noexcept;

}  // namespace sonde::inject::cupti
