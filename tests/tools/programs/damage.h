#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// Makes damaged reports from intact ones. The same seed gives the same damage.
namespace sonde::test {

class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  /// 0 to limit - 1.
  [[nodiscard]] size_t below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random_); }
  /// Changes up to eight bytes, in a row or anywhere; to anything, or to what ends a length or goes on with it.
  void change_bytes(std::string& text);
  /// The same; every fourth time some bytes are taken out before.
  [[nodiscard]] std::string changed(std::string_view bytes);

 private:
  std::mt19937_64 random_;
};

using ReadBytes = std::function<void(std::string_view)>;

/// A whole report and where it is worth to damage it. One for each format.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  [[nodiscard]] virtual std::string_view bytes() const = 0;
  /// Offsets of the borders between the file's pieces.
  [[nodiscard]] virtual std::vector<size_t> borders() const = 0;
  /// Files of which one inner piece is cut off at a border or a byte beside it, and all around it is made to fit.
  virtual void cut_inside(const ReadBytes& read) const = 0;
  /// The file with a change inside one of its pieces, and all around it made to fit.
  [[nodiscard]] virtual std::string change_inside(Chance& chance) = 0;
};

/// Fail where the file is not a whole report of the format. The bytes have to outlive the subject.
[[nodiscard]] Result<std::unique_ptr<Subject>> nsys_subject(std::string_view bytes);
[[nodiscard]] Result<std::unique_ptr<Subject>> ncu_subject(std::string_view bytes);

}  // namespace sonde::test
