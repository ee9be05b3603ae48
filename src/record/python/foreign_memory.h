#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace sonde::record::python {

/// A part of another process's memory, and where its bytes go.
struct Piece {
  uint64_t address = 0;
  std::span<std::byte> into;
  bool read = false;  ///< set by ForeignMemory::read()
};

/// The memory of a process that goes on while it is read: what belongs together may be of different moments.
class ForeignMemory {
 public:
  ForeignMemory() = default;
  ForeignMemory(const ForeignMemory&) = delete;
  ForeignMemory& operator=(const ForeignMemory&) = delete;
  virtual ~ForeignMemory() = default;

  /// Reads the pieces that can be read, and marks them.
  virtual void read(std::span<Piece> pieces) const = 0;

  [[nodiscard]] bool read(uint64_t address, std::span<std::byte> into) const {
    Piece piece{address, into};
    read(std::span(&piece, 1));
    return piece.read;
  }

  template <typename T>
  [[nodiscard]] std::optional<T> value(uint64_t address) const {
    T value{};
    if (!read(address, std::as_writable_bytes(std::span(&value, 1)))) return {};
    return value;
  }
};

/// A number of bytes that were copied from there; 0 behind their end.
template <typename T>
[[nodiscard]] T value_at(std::span<const std::byte> bytes, size_t offset) {
  T value{};
  if (offset <= bytes.size() && sizeof value <= bytes.size() - offset) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

/// That of a running process, by process_vm_readv(2).
class ProcessMemory : public ForeignMemory {
 public:
  explicit ProcessMemory(pid_t process) : process_(process) {}
  using ForeignMemory::read;
  void read(std::span<Piece> pieces) const override;

  /// The system's reason why the last call read nothing; 0: it did.
  [[nodiscard]] int error() const { return error_; }

 private:
  size_t read_some(std::span<Piece> pieces) const;

  pid_t process_;
  mutable int error_ = 0;
};

}  // namespace sonde::record::python
