#pragma once

#include <atomic>
#include <cstdint>

/// Calls of NVIDIA's libraries: what libsonde_audit.so, which changes where such a function is found, and
/// libsonde_inject.so, which holds what is found instead, agree on.
namespace sonde::wire {

/// The rows of libraries.inc, by name.
enum class Library : uint16_t {
#define SONDE_LIBRARY(trace, file, function) trace,
#include "wire/libraries.inc"
#undef SONDE_LIBRARY
  count_
};

inline constexpr uint16_t kLibraries = static_cast<uint16_t>(Library::count_);

struct LibraryRow {
  const char* trace;
  const char* file;
  const char* function;
};

inline constexpr LibraryRow kLibraryRows[] = {
#define SONDE_LIBRARY(trace, file, function) {#trace, file, function},
#include "wire/libraries.inc"
#undef SONDE_LIBRARY
};

/// A function of a library, and what is in its place: the stub of the same number.
struct LibraryFunction {
  void* function;
  const char* name;
  Library library;
  std::atomic<uint32_t> string;  ///< the name as a registered string; 0: not registered yet
};

/// All libraries of CUDA 12 together export some 5000; one that is loaded again takes new places.
inline constexpr uint32_t kMaxLibraryFunctions = 16384;
inline constexpr uint32_t kLibraryStubBytes = 16;

/// The stubs are written for the registers of x86-64.
#ifdef __x86_64__
inline constexpr bool kHasLibraryStubs = true;
#else
inline constexpr bool kHasLibraryStubs = false;
#endif

/// Symbols of libsonde_inject.so: LibraryFunction[kMaxLibraryFunctions], code of kLibraryStubBytes for each, a
/// uint32_t, the number of places taken, and a std::atomic<uint64_t>*, where functions without a place are counted,
/// null while nowhere.
inline constexpr const char* kLibraryFunctionsSymbol = "sonde_library_functions";
inline constexpr const char* kLibraryStubsSymbol = "sonde_library_stubs";
inline constexpr const char* kLibraryCountSymbol = "sonde_library_count";
inline constexpr const char* kLibraryLostSymbol = "sonde_library_lost";
inline constexpr const char* kInjectFile = "libsonde_inject.so";

/// Environment of a recorded program: the libraries that are wanted, as -t names them, with commas between and around.
inline constexpr const char* kLibrariesVariable = "SONDE_RECORD_LIBRARIES";

}  // namespace sonde::wire
