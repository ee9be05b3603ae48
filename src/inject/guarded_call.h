#pragma once

#include <cstdint>

#include "wire/call_result.h"

/// Calls out of this library, into CUPTI and the driver. Nothing that they do may end the program: what they throw
/// stops here, and once the program has begun to exit (exit_order.h) none is made.
namespace sonde::inject {

/// Calls `call(data)`. wire::kThrew where something was thrown out of it, wire::kTooLate where it was not called, else
/// 0. A thread that is cancelled meanwhile ends, as it would without this.
[[nodiscard]] int32_t call_guarded(void (*call)(const void*), const void* data) noexcept;

/// From here on no call is made.
void refuse_calls() noexcept;

/// A function that another library gives, and that returns a number or an enumeration.
template <typename Function>
class Guarded;

template <typename Result, typename... Parameters>
class Guarded<Result(Parameters...)> {
 public:
  using Function = Result (*)(Parameters...);

  /// What dlsym() gave; null where the library lacks it.
  void set(void* symbol) noexcept { function_ = reinterpret_cast<Function>(symbol); }
  [[nodiscard]] bool is_there() const noexcept { return function_ != nullptr; }
  [[nodiscard]] const void* address() const noexcept { return reinterpret_cast<const void*>(function_); }

  Result operator()(Parameters... arguments) const noexcept {
    if (function_ == nullptr) return static_cast<Result>(wire::kAbsent);
    Result result{};
    const auto call = [&] { result = function_(arguments...); };
    const int32_t failed = call_guarded([](const void* data) { (*static_cast<decltype(&call)>(data))(); }, &call);
    return failed == 0 ? result : static_cast<Result>(failed);
  }

 private:
  Function function_ = nullptr;
};

}  // namespace sonde::inject
