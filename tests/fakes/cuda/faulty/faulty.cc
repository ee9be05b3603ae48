#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

/// A libcupti that hands each call on to the one that SONDE_FAULTY_OF names, but for what SONDE_FAULT says:
///   log:FILE               writes the name of each function that is called into a file
///   NAME:throw:N           the Nth call of a function throws, and does nothing; N = 0: each call
///   NAME:error=NUMBER:N    gives this CUptiResult, and does nothing
///   NAME:block=MS:N        comes back so much later
///   NAME:signal=NUMBER:N   sends the process this signal before
///   NAME:overrun=BYTES:N   writes so many bytes behind the structure that it got, which begins with its size
/// All functions of CUPTI that the recorder calls take up to six numbers or pointers, and give a number.
namespace {

using Function = uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

struct Fault {
  std::string function;
  std::string what;
  uint64_t number = 0;
  uint32_t call = 0;

  Fault() {
    const char* text = getenv("SONDE_FAULT");
    std::string words = text == nullptr ? "" : text;
    const size_t first = words.find(':');
    if (first == std::string::npos) return;
    function = words.substr(0, first);
    words = words.substr(first + 1);
    if (function == "log") {
      what = words;
      return;
    }
    const size_t second = words.find(':');
    call = static_cast<uint32_t>(strtoul(words.c_str() + second + 1, nullptr, 10));
    what = words.substr(0, second);
    const size_t is = what.find('=');
    if (is == std::string::npos) return;
    number = strtoul(what.c_str() + is + 1, nullptr, 10);
    what = what.substr(0, is);
  }
};

const Fault& fault() {
  static const Fault the;
  return the;
}

void* library() {
  static void* const opened = dlopen(getenv("SONDE_FAULTY_OF"), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) abort();
  return opened;
}

void log(const char* name) {
  FILE* const file = fopen(fault().what.c_str(), "a");
  if (file == nullptr) return;
  fprintf(file, "%s\n", name);
  fclose(file);
}

bool is_due(const char* name) {
  static std::atomic<uint32_t> calls{0};
  return fault().function == name && (++calls == fault().call || fault().call == 0);
}

void overrun(uint64_t structure) {
  auto* const at = reinterpret_cast<char*>(structure);
  size_t size = 0;
  memcpy(&size, at, sizeof size);
  memset(at + size, 0xA5, fault().number);
}

uint64_t forward(const char* name, const std::array<uint64_t, 6>& a) {
  if (fault().function == "log") log(name);
  const bool due = is_due(name);
  if (due) {
    if (fault().what == "throw") throw std::runtime_error(name);
    if (fault().what == "error") return fault().number;
    if (fault().what == "signal") kill(getpid(), static_cast<int>(fault().number));
    if (fault().what == "block") usleep(static_cast<useconds_t>(fault().number) * 1000);
  }
  const auto function = reinterpret_cast<Function>(dlsym(library(), name));
  constexpr uint64_t kNotSupported = 27;
  const uint64_t result = function == nullptr ? kNotSupported : function(a[0], a[1], a[2], a[3], a[4], a[5]);
  if (due && fault().what == "overrun") overrun(a[0]);
  return result;
}

}  // namespace

#define FAULTY(name)                                                                                              \
  extern "C" __attribute__((visibility("default"))) uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t d, \
                                                                  uint64_t e, uint64_t f) {                       \
    return forward(#name, {a, b, c, d, e, f});                                                                    \
  }
#include "faulty_names.inc"
