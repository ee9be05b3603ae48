#include "gate/decide/floors_json.h"

#include <gtest/gtest.h>

namespace sonde::gate {
namespace gate_floors_test {

CalibratedFloors example() {
  CalibratedFloors floors;
  floors.conditions = {{"gpu", "NVIDIA H100"}, {"driver", "590.48"}};
  floors.runs = 5;
  floors.centres[{"step_time", "the run"}] = {100, 102, 98, 101, 99};
  floors.centres[{"kernel_time", "void gemm<\"x\", 1>(float*)"}] = {5e6, 5.1e6, 5.05e6, 4.9e6};
  return floors;
}

TEST(FloorsJson, comes_back_as_it_was) {
  const CalibratedFloors floors = example();
  const auto read = parse_floors(floors_json(floors));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->centres, floors.centres);
  EXPECT_EQ(read->conditions, floors.conditions);
  EXPECT_EQ(read->runs, 5);
}

TEST(FloorsJson, states_deviation_and_floors) {
  const std::string json = floors_json(example());
  EXPECT_NE(json.find("\"deviation\":0.0158113883"), std::string::npos) << json;  // sqrt(10 / 4) / 100
  EXPECT_NE(json.find("\"floor_5_runs\":0.0"), std::string::npos) << json;
}

std::string error_of(std::string_view json) {
  const auto read = parse_floors(json);
  return read ? "" : read.error().message;
}

TEST(FloorsJson, what_is_wrong_is_said) {
  EXPECT_EQ(error_of("no"), "it is not JSON");
  EXPECT_EQ(error_of("[]"), "it is not a noise floor file written by `sonde gate calibrate -o`");
  EXPECT_EQ(error_of(R"({"schema":"sonde.floors/2"})"),
            "its schema is \"sonde.floors/2\", but this version reads sonde.floors/1; measure again with `sonde gate "
            "calibrate`");
  EXPECT_EQ(error_of(R"({"schema":"sonde.floors/1"})"), "'floors' is not a list");
  const auto row = [](std::string_view text) {
    return error_of(std::string(R"({"schema":"sonde.floors/1","floors":[)") + std::string(text) + "]}");
  };
  EXPECT_EQ(row("1"), "floors[0]: it is not an object");
  EXPECT_EQ(row(R"({"metric":1})"), "floors[0]: 'metric' is not a string");
  EXPECT_EQ(row(R"({"metric":"a","subject":"b"})"), "floors[0]: 'centres' is not a list of numbers");
  EXPECT_EQ(row(R"({"metric":"a","subject":"b","centres":[1,0]})"),
            "floors[0]: a value of 'centres' is not a number above 0");
  EXPECT_EQ(error_of(R"({"schema":"sonde.floors/1","conditions":{"gpu":1},"floors":[]})"),
            "condition 'gpu' is not a string");
}

}  // namespace gate_floors_test
}  // namespace sonde::gate
