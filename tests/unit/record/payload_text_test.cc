#include <cstring>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "record/nvtx/payload_text.h"

namespace sonde::record {
namespace payload_text_test {

enum Number : uint64_t { kShort = 3, kUint8 = 12, kInt32 = 15, kDouble = 20, kText = 75 };
enum Flags : uint64_t {
  kPointer = 1U << 1U,
  kFixed = 1U << 4U,
  kTerminated = 2U << 4U,
  kLengthIn = 3U << 4U,
  kMessage = 1U << 10U
};
constexpr uint64_t kFirst = 1U << 24U;

PayloadEntry entry(const char* name, uint64_t type, uint64_t flags = 0, uint64_t detail = 0, uint64_t offset = 0) {
  return {.name = name, .description = {}, .type = type, .flags = flags, .detail = detail, .offset = offset};
}

/// Schemas by their numbers from kFirst on.
class Readable {
 public:
  uint64_t add(std::vector<PayloadEntry> entries, uint64_t type = 1, uint64_t bytes = 0, uint64_t align = 0) {
    PayloadSchema schema;
    schema.id = kFirst + all_.size();
    schema.type = type;
    schema.bytes = bytes;
    schema.align = align;
    schema.entries = std::move(entries);
    all_[schema.id] = schema;
    return schema.id;
  }
  uint64_t add_enum(uint64_t bytes, std::vector<PayloadEntry> values) {
    const uint64_t id = add(std::move(values), 0, bytes);
    all_[id].is_enum = true;
    return id;
  }
  [[nodiscard]] std::string read(uint64_t schema, std::vector<uint8_t> bytes) const {
    const auto text = read_text(schema, bytes);
    return text ? text->json : "nothing";
  }
  [[nodiscard]] std::optional<PayloadText> read_text(uint64_t schema, const std::vector<uint8_t>& bytes) const {
    const PayloadContext context{.schema =
                                     [this](uint64_t id) {
                                       const auto found = all_.find(id);
                                       return found == all_.end() ? nullptr : &found->second;
                                     },
                                 .string = [](uint64_t number) { return "string " + std::to_string(number); }};
    return read_payload(schema, std::as_bytes(std::span(bytes)), context);
  }

 private:
  std::map<uint64_t, PayloadSchema> all_;
};

TEST(PayloadText, OffsetsFollowFromAlignmentOrAreTold) {
  Readable schemas;
  const uint64_t natural = schemas.add({entry("a", kUint8), entry("b", kShort), entry("c", kInt32)});
  EXPECT_EQ(schemas.read(natural, {1, 9, 2, 0, 0xFF, 0xFF, 0xFF, 0xFF}), R"({"a":1,"b":2,"c":-1})");
  const uint64_t packed = schemas.add({entry("a", kUint8), entry("b", kShort), entry("c", kInt32)}, 1, 0, 1);
  EXPECT_EQ(schemas.read(packed, {1, 2, 0, 3, 0, 0, 0}), R"({"a":1,"b":2,"c":3})");
  const uint64_t told = schemas.add({entry("a", kUint8, 0, 0, 2), entry("", kUint8)});
  EXPECT_EQ(schemas.read(told, {7, 8, 9, 10}), R"({"a":9,"1":10})");
}

TEST(PayloadText, TextsArraysAndSchemasWithin) {
  Readable schemas;
  const uint64_t point = schemas.add({entry("x", kUint8), entry("y", kUint8)}, 1, 2);
  const uint64_t points = schemas.add({entry("points", point, kFixed, 2), entry("is", kText, kMessage, 4)});
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 'o', 'k', 0, 'z'};
  EXPECT_EQ(schemas.read(points, bytes), R"({"points":[{"x":1,"y":2},{"x":3,"y":4}],"is":"ok"})");
  EXPECT_EQ(schemas.read_text(points, bytes)->message, "ok");
  const uint64_t dynamic =
      schemas.add({entry("n", kUint8), entry("v", kUint8, kLengthIn, 0), entry("t", kText, kTerminated)}, 2);
  EXPECT_EQ(schemas.read(dynamic, {2, 5, 6, 'a', 0}), R"({"n":2,"v":[5,6],"t":"a"})");
  EXPECT_EQ(schemas.read(dynamic, {2, 5, 6, 'a', 'b'}), "nothing") << "a text without an end";
  EXPECT_EQ(schemas.read(kText, {'"', 0xFF}), "\"\\\"\uFFFD\"");
}

TEST(PayloadText, Enumerations) {
  Readable schemas;
  const uint64_t kinds = schemas.add_enum(1, {entry("none", 0), entry("one", 1)});
  const uint64_t flags = schemas.add_enum(1, {entry("A", 1, 1), entry("B", 2, 1)});
  const uint64_t both = schemas.add({entry("kind", kinds), entry("flags", flags)});
  EXPECT_EQ(schemas.read(both, {1, 3}), R"({"kind":"one","flags":"A|B"})");
  EXPECT_EQ(schemas.read(both, {9, 8}), R"({"kind":9,"flags":8})");
}

TEST(PayloadText, WhatCannotBeReadIsNothing) {
  Readable schemas;
  const uint64_t itself = schemas.add({entry("again", kFirst)});
  EXPECT_EQ(schemas.read(itself, {1, 2, 3, 4}), "nothing");
  const uint64_t many = schemas.add({entry("v", kUint8, kFixed, ~0ULL)});
  EXPECT_EQ(schemas.read(many, {1, 2}), "nothing");
  const uint64_t beyond = schemas.add({entry("v", kUint8, 0, 0, ~0ULL)});
  EXPECT_EQ(schemas.read(beyond, {1, 2}), "nothing");
  const uint64_t of_a_union = schemas.add({entry("v", kUint8)}, 3);
  EXPECT_EQ(schemas.read(of_a_union, {1}), "nothing");
  EXPECT_EQ(schemas.read(kDouble, {1, 2, 3}), "nothing");
  EXPECT_EQ(schemas.read(kFirst + 99, {1}), "nothing");
  const uint64_t large = schemas.add_enum(~0ULL, {entry("none", 0)});
  EXPECT_EQ(schemas.read(schemas.add({entry("a", kUint8), entry("b", large)}), {1, 2}), "nothing");
  // Nothing in it takes a byte: reading it would take 10^24 steps.
  uint64_t deep = schemas.add({});
  for (int i = 0; i < 7; ++i) deep = schemas.add({entry("v", deep, kFixed, 2000)});
  EXPECT_EQ(schemas.read(deep, std::vector<uint8_t>(2000)), "nothing");
}

}  // namespace payload_text_test
}  // namespace sonde::record
