#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "base/system/subprocess.h"
#include "record/record.h"

/// Whether kernels arrive in recordings of this machine, tried by a program of our own before the user's one starts.
namespace sonde::record {

struct SelfTest {
  enum class Outcome : uint8_t {
    seen,       ///< a kernel was launched, and is in the recording
    not_seen,   ///< a kernel ran, and is not
    no_driver,  ///< there is no driver or no GPU: nothing to record
    failed,     ///< no kernel could be launched
  };
  Outcome outcome = Outcome::failed;
  std::string text;  ///< what the program said; empty where it had nothing to say
};

/// What a reader of the recording must know of it; nothing where there is no driver.
[[nodiscard]] std::optional<Remark> remark_of(const SelfTest& test);

/// Runs `program` (sonde-self-test) with `library` (libsonde_inject.so). An error is no outcome of the test: this
/// process was asked to end, or has no memory to record into.
[[nodiscard]] Result<SelfTest> self_test(SubprocessRunner& runner, const std::string& program,
                                         const std::string& library);

}  // namespace sonde::record
