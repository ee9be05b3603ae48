#include "gate/record/record_json.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace sonde::gate {
namespace gate_record_json_test {

RunRecord full_record() {
  RunRecord r;
  r.source = "runs/\"a\".sqlite";
  r.conditions = {{"kind", "timeline"}, {"gpu", "NVIDIA A100"}};
  r.wall_ns = 9000;
  r.extent_ns = 2000;
  r.steps = 5;
  r.step_ns = {1000, 990};
  r.graph_nodes = 12;
  r.gpus = {{.place = "GPU 0",
             .ordinal = 0,
             .name = "NVIDIA A100",
             .busy_ns = 1500,
             .peak_memory_bytes = 0,
             .sm_clock_hz = 1.41e9 + 0.1,
             .communication_ns = 7,
             .exposed_communication_ns = 3,
             .step_busy_ns = {700, 800},
             .step_communication_ns = {7, 7},
             .step_exposed_communication_ns = {0, 0}}};
  r.work = {{.kind = WorkKind::copy,
             .gpu = 0,
             .name = "Host-to-Device",
             .module = "step/layer #",
             .pageable = true,
             .communication = false,
             .share_ns = 1500,
             .duration_ns = 1600,
             .count = 2,
             .bytes = 64,
             .step_count = {1, 1},
             .step_duration_ns = {700, 900}}};
  r.idle = {
      {.gpu = 0, .cause = "synchronization", .module = "", .what = "cudaDeviceSynchronize", .ns = 500, .pieces = 3}};
  r.calls = {{.name = "cudaLaunchKernel",
              .module = "step",
              .launches = true,
              .synchronizes = false,
              .allocates = false,
              .count = 2,
              .duration_ns = 20,
              .step_count = {1, 1},
              .step_duration_ns = {10, 10}}};
  KernelShape& shape = r.shapes.emplace_back();
  shape.kernel = "gemm";
  shape.grid = {108, 2, 1};
  shape.block = {256, 1, 1};
  shape.count = 2;
  shape.registers_per_thread = 72;
  shape.local_bytes_per_thread = 0;
  shape.theoretical_occupancy_percent = 66.66666666666666;
  r.measures = {{.kernel = "gemm",
                 .duration_ns = {1.5, 2},
                 .cycles = {},
                 .achieved_occupancy_percent = 20.25,
                 .spill_bytes = 0.0,
                 .metrics = {{"ipc", 1.25}}}};
  r.cpu_ns = 8000;
  r.instructions = 123'456'789'012;
  r.cycles = 0;
  r.ranges = {{.name = "request #", .count = 40, .p50_ns = 1.5, .p95_ns = 2.5, .p99_ns = 3.5}};
  return r;
}

TEST(RecordJson, comes_back_as_it_was) {
  const RunRecord before = full_record();
  const std::string json = record_json(before);
  const auto after = parse_record(json);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(record_json(*after), json);
  EXPECT_EQ(after->source, before.source);
  EXPECT_EQ(after->conditions, before.conditions);
  EXPECT_EQ(after->step_ns, before.step_ns);
  EXPECT_EQ(after->gpus[0].sm_clock_hz, before.gpus[0].sm_clock_hz);
  EXPECT_EQ(after->gpus[0].peak_memory_bytes, 0) << "known to be 0";
  EXPECT_EQ(after->gpus[0].step_communication_ns, before.gpus[0].step_communication_ns);
  EXPECT_EQ(after->gpus[0].step_exposed_communication_ns, before.gpus[0].step_exposed_communication_ns);
  EXPECT_EQ(after->work[0].kind, WorkKind::copy);
  EXPECT_TRUE(after->work[0].pageable);
  EXPECT_EQ(after->work[0].step_count, before.work[0].step_count);
  EXPECT_EQ(after->work[0].step_duration_ns, before.work[0].step_duration_ns);
  EXPECT_EQ(after->shapes[0].grid, before.shapes[0].grid);
  EXPECT_FALSE(after->shapes[0].blocks_per_sm);
  EXPECT_EQ(after->shapes[0].local_bytes_per_thread, 0);
  EXPECT_EQ(after->shapes[0].theoretical_occupancy_percent, before.shapes[0].theoretical_occupancy_percent);
  EXPECT_EQ(after->measures[0].duration_ns, before.measures[0].duration_ns);
  EXPECT_EQ(after->measures[0].spill_bytes, 0.0);
  EXPECT_EQ(after->graph_nodes, 12);
  EXPECT_EQ(after->measures[0].metrics, before.measures[0].metrics);
  EXPECT_EQ(after->cpu_ns, 8000);
  EXPECT_EQ(after->instructions, 123'456'789'012);
  EXPECT_EQ(after->cycles, 0) << "counted as 0";
  EXPECT_EQ(after->ranges[0].name, "request #");
  EXPECT_EQ(after->ranges[0].count, 40);
  EXPECT_EQ(after->ranges[0].p95_ns, 2.5);
}

TEST(RecordJson, of_an_earlier_sonde_has_no_cpu_counts_ranges_or_metrics) {
  const auto record = parse_record(
      R"({"sonde_record": 1, "source": "a", "conditions": {}, "wall_ns": 5, "extent_ns": 5, "steps": 0,
          "measures": [{"kernel": "gemm", "duration_ns": [3]}]})");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_FALSE(record->cpu_ns);
  EXPECT_FALSE(record->instructions);
  EXPECT_FALSE(record->cycles);
  EXPECT_TRUE(record->ranges.empty());
  EXPECT_TRUE(record->measures[0].metrics.empty());
}

TEST(RecordJson, has_a_group_a_line) {
  const std::string json = record_json(full_record());
  EXPECT_NE(json.find("\n{\"kind\":\"copy\",\"name\":\"Host-to-Device\",\"module\":\"step/layer #\",\"gpu\":0,"),
            json.npos);
  EXPECT_NE(json.find("\"step_count\":1,\"step_duration_ns\":[700,900]}\n"), json.npos);
  EXPECT_EQ(json.find("exposed_communication_ns\":["), json.npos) << "what is 0 in every step is left out";
}

TEST(RecordJson, an_empty_record_is_one) {
  const auto record = parse_record(record_json({}));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_TRUE(record->gpus.empty());
}

TEST(RecordJson, is_told_by_its_beginning) {
  EXPECT_TRUE(is_record(record_json(full_record()).substr(0, 40)));
  EXPECT_TRUE(is_record("{ \"sonde_record\" : 1"));
  EXPECT_FALSE(is_record(""));
  EXPECT_FALSE(is_record("{"));
  EXPECT_FALSE(is_record("{\"traceEvents\": [], \"sonde_record\": 1}"));
  EXPECT_FALSE(is_record("{\"sonde_record"));
}

TEST(RecordJson, names_that_are_no_utf8_do_not_harm) {
  RunRecord record;
  record.calls.push_back({.name = "cuda\xff\xfe", .module = "", .step_count = {}, .step_duration_ns = {}});
  EXPECT_TRUE(parse_record(record_json(record)));
}

TEST(RecordJson, no_beginning_of_a_record_is_one) {
  const std::string json = record_json(full_record());
  for (size_t length = 0; length + 2 < json.size(); ++length) {
    EXPECT_FALSE(parse_record(json.substr(0, length))) << length;
  }
}

/// The error of a record in which `from` is replaced.
std::string error_of(std::string_view from, std::string_view to) {
  std::string json = record_json(full_record());
  const size_t at = json.find(from);
  if (at == std::string::npos) throw std::out_of_range(std::string(from));
  json.replace(at, from.size(), to);
  const auto record = parse_record(json);
  return record ? "" : record.error().message;
}

TEST(RecordJson, an_error_names_the_key) {
  EXPECT_EQ(error_of("\"wall_ns\": 9000", "\"wall_ns\": \"9000\""), "wall_ns must be an integer");
  EXPECT_EQ(error_of("\"wall_ns\": 9000", "\"wall_ns\": 9e3"), "wall_ns must be an integer");
  EXPECT_EQ(error_of("\"wall_ns\": 9000", "\"wall_ns\": -1"), "wall_ns is negative: -1");
  EXPECT_EQ(error_of("\"wall_ns\": 9000", "\"wall_ns\": 18446744073709551615"),
            "wall_ns is too large: 18446744073709551615");
  EXPECT_EQ(error_of("\"wall_ns\": 9000,", ""), "wall_ns is missing");
  EXPECT_EQ(error_of("\"source\": \"runs/\\\"a\\\".sqlite\"", "\"source\": 7"), "source must be a string");
  EXPECT_EQ(error_of("\"gpu\":\"NVIDIA A100\"", "\"gpu\":8"), "conditions.gpu must be a string");
  EXPECT_EQ(error_of("\"kind\":\"copy\"", "\"kind\":\"copies\""),
            "work[0].kind is 'copies'; it must be kernel, copy, set or graph_launch");
  EXPECT_EQ(error_of("\"step_duration_ns\":[700,900]", "\"step_duration_ns\":[700]"),
            "work[0].step_duration_ns has 1 values, but the record has 2 steps");
  EXPECT_EQ(error_of("\"step_duration_ns\":[700,900]", "\"step_duration_ns\":[700,null]"),
            "work[0].step_duration_ns must be an integer");
  EXPECT_EQ(error_of("\"pageable\":true", "\"pageable\":1"), "work[0].pageable must be true or false");
  EXPECT_EQ(error_of("\"grid\":[108,2,1]", "\"grid\":[108,2]"), "shapes[0].grid must be a list of 3 numbers");
  EXPECT_EQ(error_of("\"grid\":[108,2,1]", "\"grid\":[108,2,4294967296]"), "shapes[0].grid is too large: 4294967296");
  EXPECT_EQ(error_of("\"module\":\"step/layer #\",\"gpu\":0", "\"module\":\"\",\"gpu\":1"),
            "work[0].gpu is 1, but the record has 1 GPUs");
  EXPECT_EQ(error_of("\"duration_ns\":[1.5,2.0]", "\"duration_ns\":[1.5,-2]"),
            "measures[0].duration_ns must be finite and at least 0");
  EXPECT_EQ(error_of("\"steps\": 5", "\"steps\": 1"), "step_ns has 2 steps, but steps is 1");
}

TEST(RecordJson, numbers_that_no_sum_holds_are_refused) {
  EXPECT_EQ(error_of("\"count\":2", "\"count\":4611686018427387904"),
            "work[0].count is too large: 4611686018427387904");
  EXPECT_EQ(error_of("\"step_count\":1", "\"step_count\":4611686018427387000"),
            "work[0].step_count is too large: 4611686018427387000");
}

TEST(RecordJson, other_documents_and_versions_are_refused) {
  EXPECT_EQ(parse_record("[1]").error().message, "not a run record: 'sonde_record' is missing");
  EXPECT_EQ(parse_record("{}").error().message, "not a run record: 'sonde_record' is missing");
  EXPECT_EQ(parse_record("{\"sonde_record\": 1").error().message,
            "not valid JSON, or truncated; create the record again");
  EXPECT_EQ(
      error_of("\"sonde_record\": 1", "\"sonde_record\": 2"),
      "the record has version 2, but this Sonde reads version 1; use the Sonde that created it, or create it again");
  EXPECT_EQ(error_of("\"sonde_record\": 1", "\"sonde_record\": \"1\""), "sonde_record must be an integer");
}

TEST(RecordJson, more_steps_than_a_record_keeps_are_refused) {
  std::string steps = "0";
  for (size_t i = 0; i < kMaxSteps; ++i) steps += ",0";
  EXPECT_EQ(error_of("\"step_ns\": [1000,990]", "\"step_ns\": [" + steps + "]"),
            "step_ns has 101 steps, but a record keeps at most 100");
}

TEST(RecordJson, unknown_keys_are_passed_over) {
  EXPECT_EQ(error_of("\"wall_ns\": 9000", "\"wall_ns\": 9000, \"colour\": [{}]"), "");
  EXPECT_EQ(error_of("\"kind\":\"copy\"", "\"kind\":\"copy\",\"colour\":null"), "");
  EXPECT_EQ(error_of("\"gpu\":\"NVIDIA A100\"", "\"moon\":8"), "");
}

}  // namespace gate_record_json_test
}  // namespace sonde::gate
