#include "importers/torch_snapshot/pickle.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace sonde::torch_snapshot {

/// Opcodes by the numbers that Python's module pickletools lists.
enum class Opcode : uint8_t {
  mark = '(',
  stop = '.',
  pop = '0',
  pop_mark = '1',
  binary_float = 'G',
  int32 = 'J',
  uint8 = 'K',
  uint16 = 'M',
  none = 'N',
  unicode = 'X',
  append = 'a',
  get8 = 'h',
  get32 = 'j',
  put8 = 'q',
  put32 = 'r',
  set_item = 's',
  tuple = 't',
  set_items = 'u',
  bytes32 = 'B',
  bytes8 = 'C',
  empty_tuple = ')',
  empty_list = ']',
  append_all = 'e',
  empty_dict = '}',
  protocol = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  true_value = 0x88,
  false_value = 0x89,
  long8 = 0x8a,
  long32 = 0x8b,
  unicode8 = 0x8c,
  unicode64 = 0x8d,
  memoize = 0x94,
  frame = 0x95,
};

/// Runs the opcodes of a pickle on a stack of values.
class PickleReader {
 public:
  explicit PickleReader(std::string_view bytes) { pickle_.bytes_ = bytes; }

  Result<Pickle> read() {
    while (!stopped_) {
      if (at_ >= pickle_.bytes_.size())
        return fail("is truncated: its pickle ends at byte {} without an end mark", at_);
      opcode_at_ = at_;
      const auto opcode = static_cast<Opcode>(static_cast<uint8_t>(pickle_.bytes_[at_++]));
      if (!step(opcode)) return std::unexpected(error(opcode));
    }
    return std::move(pickle_);
  }

 private:
  using Id = Pickle::Id;
  using Kind = Pickle::Kind;
  /// A file of 10 GB with a value every 40 bytes.
  static constexpr size_t kMaxValues = size_t{1} << 28;

  [[nodiscard]] Error error(Opcode opcode) const {
    if (is_unsupported_) {
      return {
          fmt::format("is a Python pickle with objects (opcode {:#04x} at byte {}), not a memory snapshot of PyTorch",
                      static_cast<unsigned>(opcode), opcode_at_)};
    }
    return {fmt::format("is damaged: the pickle's opcode {:#04x} at byte {} cannot be applied",
                        static_cast<unsigned>(opcode), opcode_at_)};
  }

  /// False where the opcode is not supported, or does not fit the stack or the rest of the file.
  bool step(Opcode opcode) {
    switch (opcode) {
      case Opcode::protocol: return skip(1);
      case Opcode::frame: return skip(8);
      case Opcode::stop: return stop();
      case Opcode::none: return push({Kind::none, 0, 0});
      case Opcode::true_value: return push({Kind::boolean, 0, 1});
      case Opcode::false_value: return push({Kind::boolean, 0, 0});
      case Opcode::uint8: return push_number(1, false);
      case Opcode::uint16: return push_number(2, false);
      case Opcode::int32: return push_number(4, true);
      case Opcode::binary_float: return push_real();
      case Opcode::long8: return push_long(1);
      case Opcode::long32: return push_long(4);
      case Opcode::unicode8: return push_text(1, Kind::text);
      case Opcode::unicode: return push_text(4, Kind::text);
      case Opcode::unicode64: return push_text(8, Kind::text);
      case Opcode::bytes8: return push_text(1, Kind::bytes);
      case Opcode::bytes32: return push_text(4, Kind::bytes);
      default: return step_of_containers(opcode);
    }
  }

  bool step_of_containers(Opcode opcode) {
    switch (opcode) {
      case Opcode::empty_list: return push_container(Kind::list, {});
      case Opcode::empty_dict: return push_container(Kind::dict, {});
      case Opcode::empty_tuple: return push_container(Kind::tuple, {});
      case Opcode::tuple: return to_mark() && push_tuple(stack_.size() - taken_mark_);
      case Opcode::tuple1: return push_tuple(1);
      case Opcode::tuple2: return push_tuple(2);
      case Opcode::tuple3: return push_tuple(3);
      case Opcode::append: return add_to(Kind::list, 1);
      case Opcode::set_item: return add_to(Kind::dict, 2);
      case Opcode::append_all: return to_mark() && add_to(Kind::list, stack_.size() - taken_mark_);
      case Opcode::set_items: return to_mark() && add_to(Kind::dict, stack_.size() - taken_mark_);
      case Opcode::mark: marks_.push_back(stack_.size()); return true;
      case Opcode::pop: return pop(1);
      case Opcode::pop_mark: return to_mark() && pop(stack_.size() - taken_mark_);
      default: return step_of_memo(opcode);
    }
  }

  bool step_of_memo(Opcode opcode) {
    switch (opcode) {
      case Opcode::memoize: return put(memo_.size());
      case Opcode::put8: return put(unsigned_number(1));
      case Opcode::put32: return put(unsigned_number(4));
      case Opcode::get8: return get(unsigned_number(1));
      case Opcode::get32: return get(unsigned_number(4));
      default: is_unsupported_ = true; return false;
    }
  }

  bool skip(size_t bytes) {
    if (pickle_.bytes_.size() - at_ < bytes) return false;
    at_ += bytes;
    return true;
  }

  /// The next bytes as a number, lowest first; absent where the file ends before.
  std::optional<uint64_t> unsigned_number(size_t bytes) {
    const size_t from = at_;
    if (!skip(bytes)) return std::nullopt;
    uint64_t number = 0;
    std::memcpy(&number, pickle_.bytes_.data() + from, bytes);
    return number;
  }

  bool push(const Pickle::Value& value) {
    if (pickle_.values_.size() >= kMaxValues) return false;
    stack_.push_back(static_cast<Id>(pickle_.values_.size()));
    pickle_.values_.push_back(value);
    return true;
  }

  bool push_number(size_t bytes, bool is_signed) {
    const auto number = unsigned_number(bytes);
    if (!number) return false;
    const auto value = static_cast<int64_t>(*number);
    return push({Kind::integer, 0, is_signed ? static_cast<int32_t>(value) : value});
  }

  /// The highest byte first, unlike all other numbers.
  bool push_real() {
    const auto bits = unsigned_number(8);
    return bits && push({Kind::real, 0, static_cast<int64_t>(std::byteswap(*bits))});
  }

  /// Two's complement of any length. Sizes and addresses above int64 take 9 bytes.
  bool push_long(size_t bytes_of_size) {
    const auto size = unsigned_number(bytes_of_size);
    const size_t from = at_;
    if (!size || !skip(*size)) return false;
    const std::string_view digits = pickle_.bytes_.substr(from, *size);
    const bool is_unsigned = digits.size() == 9 && digits.back() == '\0';
    if (digits.size() > 8 && !is_unsigned) return push({Kind::large_integer, 0, 0});
    uint64_t number = !digits.empty() && (static_cast<uint8_t>(digits.back()) & 0x80U) != 0 ? ~uint64_t{0} : 0;
    std::memcpy(&number, digits.data(), std::min<size_t>(digits.size(), 8));
    return push({Kind::integer, 0, static_cast<int64_t>(number)});
  }

  bool push_text(size_t bytes_of_size, Kind kind) {
    const auto size = unsigned_number(bytes_of_size);
    const size_t from = at_;
    if (!size || *size > std::numeric_limits<uint32_t>::max() || !skip(*size)) return false;
    return push({kind, static_cast<uint32_t>(*size), static_cast<int64_t>(from)});
  }

  bool push_container(Kind kind, std::vector<Id> items) {
    pickle_.containers_.push_back(std::move(items));
    return push({kind, 0, static_cast<int64_t>(pickle_.containers_.size() - 1)});
  }

  /// Values above the last mark are the ones that it opened.
  [[nodiscard]] size_t above_mark() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  /// Takes the last mark off; what lies above `taken_mark_` is its content.
  bool to_mark() {
    if (marks_.empty()) return false;
    taken_mark_ = marks_.back();
    marks_.pop_back();
    return true;
  }

  std::vector<Id> take(size_t count) {
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<Id> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    return items;
  }

  bool push_tuple(size_t count) { return count <= above_mark() && push_container(Kind::tuple, take(count)); }

  bool add_to(Kind kind, size_t count) {
    if (count >= above_mark() || (kind == Kind::dict && count % 2 != 0)) return false;
    const Pickle::Value& value = pickle_.values_[stack_[stack_.size() - count - 1]];
    if (value.kind != kind) return false;
    const std::vector<Id> added = take(count);
    std::vector<Id>& items = pickle_.containers_[static_cast<size_t>(value.content)];
    items.insert(items.end(), added.begin(), added.end());
    return true;
  }

  bool pop(size_t count) {
    if (count > above_mark()) return false;
    stack_.resize(stack_.size() - count);
    return true;
  }

  /// Writers number the memo densely: a number further on belongs to no writer.
  bool put(std::optional<uint64_t> place) {
    if (!place || above_mark() == 0 || *place > memo_.size()) return false;
    if (*place == memo_.size()) memo_.push_back(0);
    memo_[*place] = stack_.back();
    return true;
  }

  bool get(std::optional<uint64_t> place) {
    if (!place || *place >= memo_.size()) return false;
    stack_.push_back(memo_[*place]);
    return true;
  }

  bool stop() {
    if (stack_.empty()) return false;
    pickle_.root_ = stack_.back();
    return stopped_ = true;
  }

  Pickle pickle_;
  size_t at_ = 0;
  size_t opcode_at_ = 0;
  std::vector<Id> stack_;
  std::vector<size_t> marks_;
  size_t taken_mark_ = 0;
  std::vector<Id> memo_;
  bool is_unsupported_ = false;
  bool stopped_ = false;
};

Result<Pickle> Pickle::read(std::string_view bytes) { return PickleReader(bytes).read(); }

std::span<const Pickle::Id> Pickle::items(Id value) const {
  const Value& v = values_[value];
  const bool is_container = v.kind == Kind::list || v.kind == Kind::tuple || v.kind == Kind::dict;
  return is_container ? std::span<const Id>(containers_[static_cast<size_t>(v.content)]) : std::span<const Id>();
}

std::optional<Pickle::Id> Pickle::member(Id dict, std::string_view key) const {
  if (!is_dict(dict)) return std::nullopt;
  constexpr size_t kMaxKeys = 64;  // a file may use one huge dictionary a million times
  const std::span<const Id> all = items(dict);
  const std::span<const Id> entries = all.first(std::min(all.size(), 2 * kMaxKeys));
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    if (text(entries[i]) == key) return entries[i + 1];
  }
  return std::nullopt;
}

std::optional<int64_t> Pickle::integer(Id value) const {
  const Value& v = values_[value];
  return v.kind == Kind::integer || v.kind == Kind::boolean ? std::optional(v.content) : std::nullopt;
}

std::string_view Pickle::text(Id value) const {
  const Value& v = values_[value];
  return v.kind == Kind::text ? bytes_.substr(static_cast<size_t>(v.content), v.size) : std::string_view();
}

std::optional<int64_t> Pickle::integer(Id dict, std::string_view key) const {
  const auto value = member(dict, key);
  return value ? integer(*value) : std::nullopt;
}

std::string_view Pickle::text(Id dict, std::string_view key) const {
  const auto value = member(dict, key);
  return value ? text(*value) : std::string_view();
}

}  // namespace sonde::torch_snapshot
