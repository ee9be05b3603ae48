#include "metrics/catalogue.h"

#include <array>

#include <gtest/gtest.h>

namespace sonde {
namespace catalogue_test {

constexpr auto kNames = std::to_array<std::string_view>({
#include "metrics/ncu_metric_names.inc"
});

TEST(Catalogue, KnowsEveryNameOfSectionsAndRecordings) {
  for (const std::string_view name : kNames) {
    const auto info = describe_metric(name);
    ASSERT_TRUE(info) << name;
    EXPECT_NE(info->family, MetricFamily::inherit) << name;
    EXPECT_FALSE(title_of(info->family).empty()) << name;
    EXPECT_TRUE(info->meaning.ends_with('.') && info->meaning.size() > 8) << name << ": " << info->meaning;
  }
}

struct UnitOf {
  std::string_view name;
  std::string_view unit;
};

/// Units as `ncu --csv` prints them.
constexpr std::array kUnits = {
    UnitOf{"gpu__time_duration.sum", "ns"},
    UnitOf{"dram__bytes.sum", "byte"},
    UnitOf{"dram__bytes.sum.per_second", "byte/s"},
    UnitOf{"dram__bytes_read.sum", "byte"},
    UnitOf{"dram__cycles_elapsed.avg.per_second", "hz"},
    UnitOf{"gpc__cycles_elapsed.max", "cycle"},
    UnitOf{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    UnitOf{"sm__inst_executed.avg.per_cycle_active", "inst/cycle"},
    UnitOf{"smsp__issue_active.avg.per_cycle_active", ""},
    UnitOf{"smsp__issue_inst0.avg.pct_of_peak_sustained_active", "%"},
    UnitOf{"smsp__warps_active.avg.per_cycle_active", "warp"},
    UnitOf{"smsp__warps_eligible.avg.per_cycle_active", "warp"},
    UnitOf{"sm__warps_active.avg.per_cycle_active", "warp"},
    UnitOf{"sm__maximum_warps_avg_per_active_cycle", "warp"},
    UnitOf{"sm__maximum_warps_per_active_cycle_pct", "%"},
    UnitOf{"smsp__average_warp_latency_per_inst_issued.ratio", "cycle"},
    UnitOf{"smsp__average_warps_active_per_inst_executed.ratio", "cycle"},
    UnitOf{"smsp__thread_inst_executed_per_inst_executed.ratio", ""},
    UnitOf{"smsp__inst_executed.sum", "inst"},
    UnitOf{"smsp__inst_executed.avg", "inst"},
    UnitOf{"l1tex__t_sector_hit_rate.pct", "%"},
    UnitOf{"launch__registers_per_thread", "register/thread"},
    UnitOf{"launch__shared_mem_per_block_static", "byte/block"},
    UnitOf{"launch__shared_mem_config_size", "byte"},
    UnitOf{"launch__sm_count", "SM"},
    UnitOf{"launch__thread_count", "thread"},
    UnitOf{"launch__occupancy_limit_warps", "block"},
    UnitOf{"launch__cluster_max_active", "cluster"},
    UnitOf{"launch__waves_per_multiprocessor", ""},
    UnitOf{"smsp__sass_average_branch_targets_threads_uniform.pct", "%"},
    UnitOf{"smsp__sass_branch_targets_threads_divergent.avg", "branches"},
    UnitOf{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", ""},
    UnitOf{"profiler__pmsampler_dropped_samples", "sample"},
};

TEST(Catalogue, GivesTheUnitThatNcuPrints) {
  for (const UnitOf& row : kUnits) {
    const auto info = describe_metric(row.name);
    ASSERT_TRUE(info) << row.name;
    EXPECT_EQ(info->unit, row.unit) << row.name;
  }
}

/// Names that the tables do not have, with the units of ncu 2025.3.
constexpr std::array kUnitsByWords = {
    UnitOf{"TPC.TriageCompute.sm__cycles_active.avg", "cycle"},
    UnitOf{"l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_tma_st.sum", "sector"},
    UnitOf{"l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_ld.sum.per_second", "sector/s"},
    UnitOf{"lts__t_sectors_srcunit_tex_op_atom_dot_alu.avg.per_cycle_elapsed", "sector/cycle"},
    UnitOf{"l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum.per_second", "byte/s"},
    UnitOf{"smsp__inst_executed_op_tma_ld.sum", "inst"},
    UnitOf{"gcc__average_cache_request_hit_rate.pct", "%"},
    UnitOf{"sm__memory_throughput_internal_activity.avg.pct_of_peak_sustained_elapsed", "%"},
    UnitOf{"l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_redas.sum", ""},
    UnitOf{"numa__something", ""},
};

TEST(Catalogue, GuessesTheUnitOfANameByItsWords) {
  for (const UnitOf& row : kUnitsByWords) EXPECT_EQ(unit_of_metric(row.name), row.unit) << row.name;
}

TEST(Catalogue, BuildsMeaningsFromTheParts) {
  EXPECT_EQ(describe_metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")->meaning,
            "Sectors of 32 bytes that L1 looked up, load/store pipe, global memory, loads, sum over all L1 caches.");
  EXPECT_EQ(describe_metric("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio")->meaning,
            "Warp cycles waiting for data of global, local, texture or surface memory, per issued instruction.");
  EXPECT_EQ(describe_metric("pmsampling:sm__cycles_active.avg")->family, MetricFamily::sampling);
  EXPECT_EQ(describe_metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")->family, MetricFamily::shared);
}

TEST(Catalogue, SaysNothingOfNamesItDoesNotKnow) {
  EXPECT_FALSE(describe_metric(""));
  EXPECT_FALSE(describe_metric("sm__inst_executed.sum.per_fortnight"));
  EXPECT_FALSE(describe_metric("sm__inst_executed.middle"));
  EXPECT_FALSE(describe_metric("tpu__cycles_active.avg"));
  EXPECT_FALSE(describe_metric("dram__bytes_of_joy.sum"));
}

}  // namespace catalogue_test
}  // namespace sonde
