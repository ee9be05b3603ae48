#pragma once

#include <cstdint>
#include <string_view>

namespace sonde::synth {

/// What a draw is for. Together with a site and an iteration it names the draw, so that one more or one less of them
/// changes no other.
enum class Purpose : uint32_t { kernel, copy, host, call, os, recorder };

/// A number for a place in a program, by its path.
[[nodiscard]] constexpr uint32_t site_of(std::string_view path) {
  uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// Random variation of durations: log-normal, by integer arithmetic alone, so that every platform draws the same.
class Noise {
 public:
  explicit Noise(uint64_t seed) : seed_(seed) {}

  /// `base` times a log-normal factor of median 1 whose logarithm has the deviation `spread_permille` / 1000.
  [[nodiscard]] int64_t vary(int64_t base, int64_t spread_permille, Purpose purpose, uint32_t site,
                             int32_t iteration) const;

  /// 64 random bits.
  [[nodiscard]] uint64_t number(Purpose purpose, uint32_t site, int32_t iteration) const;

 private:
  uint64_t seed_;
};

}  // namespace sonde::synth
