#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "inject/metrics/profiler.h"

// Compares Sonde's own declarations of CUPTI's range profiler with NVIDIA's headers: compiling it is the comparison.
namespace {

using namespace sonde::inject::metrics;

#define SAME(mine, member, theirs, their_member)                           \
  static_assert(offsetof(mine, member) == offsetof(theirs, their_member)); \
  static_assert(sizeof(mine::member) == sizeof(theirs::their_member))

SAME(InitializeParams, reserved, CUpti_Profiler_Initialize_Params, pPriv);

SAME(ChipNameParams, device, CUpti_Device_GetChipName_Params, deviceIndex);
SAME(ChipNameParams, name, CUpti_Device_GetChipName_Params, pChipName);

SAME(AvailabilityParams, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
SAME(AvailabilityParams, bytes, CUpti_Profiler_GetCounterAvailability_Params, counterAvailabilityImageSize);
SAME(AvailabilityParams, image, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage);

SAME(HostInitializeParams, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType);
SAME(HostInitializeParams, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
SAME(HostInitializeParams, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);
SAME(HostInitializeParams, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);

SAME(HostDeinitializeParams, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);

SAME(BaseMetricsParams, type, CUpti_Profiler_Host_GetBaseMetrics_Params, metricType);
SAME(BaseMetricsParams, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);
SAME(BaseMetricsParams, count, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics);

SAME(MetricPropertiesParams, metric, CUpti_Profiler_Host_GetMetricProperties_Params, pMetricName);
SAME(MetricPropertiesParams, type, CUpti_Profiler_Host_GetMetricProperties_Params, metricType);

SAME(AddMetricsParams, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
SAME(AddMetricsParams, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);

SAME(ConfigSizeParams, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);

SAME(ConfigImageParams, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
SAME(ConfigImageParams, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);

SAME(PassesParams, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
SAME(PassesParams, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
SAME(PassesParams, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);

SAME(EvaluateParams, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
SAME(EvaluateParams, image, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
SAME(EvaluateParams, bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize);
SAME(EvaluateParams, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME(EvaluateParams, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
SAME(EvaluateParams, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
SAME(EvaluateParams, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);

SAME(EnableParams, context, CUpti_RangeProfiler_Enable_Params, ctx);
SAME(EnableParams, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);

SAME(ProfilerParams, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);

SAME(SetConfigParams, profiler, CUpti_RangeProfiler_SetConfig_Params, pRangeProfilerObject);
SAME(SetConfigParams, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
SAME(SetConfigParams, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
SAME(SetConfigParams, counter_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
SAME(SetConfigParams, counters, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
SAME(SetConfigParams, range_mode, CUpti_RangeProfiler_SetConfig_Params, range);
SAME(SetConfigParams, replay_mode, CUpti_RangeProfiler_SetConfig_Params, replayMode);
SAME(SetConfigParams, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
SAME(SetConfigParams, nesting_levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
SAME(SetConfigParams, first_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
SAME(SetConfigParams, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
SAME(SetConfigParams, target_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);

SAME(StopParams, profiler, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject);
SAME(StopParams, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
SAME(StopParams, level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);
SAME(StopParams, all_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);

SAME(DecodeParams, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);

SAME(CounterSizeParams, profiler, CUpti_RangeProfiler_GetCounterDataSize_Params, pRangeProfilerObject);
SAME(CounterSizeParams, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
SAME(CounterSizeParams, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
SAME(CounterSizeParams, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
SAME(CounterSizeParams, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);
SAME(CounterSizeParams, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);

SAME(CounterImageParams, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, counterDataSize);
SAME(CounterImageParams, image, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);

SAME(CounterInfoParams, image, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);
SAME(CounterInfoParams, bytes, CUpti_RangeProfiler_GetCounterDataInfo_Params, counterDataImageSize);
SAME(CounterInfoParams, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);

#undef SAME

}  // namespace

int main() {
  bool same = true;
  same = same && InitializeParams{}.size == CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  same = same && ChipNameParams{}.size == CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  same = same && AvailabilityParams{}.size == CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE;
  same = same && HostInitializeParams{}.size == CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  same = same && HostDeinitializeParams{}.size == CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
  same = same && BaseMetricsParams{}.size == CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE;
  same = same && MetricPropertiesParams{}.size == CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE;
  same = same && AddMetricsParams{}.size == CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
  same = same && ConfigSizeParams{}.size == CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
  same = same && ConfigImageParams{}.size == CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
  same = same && PassesParams{}.size == CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
  same = same && EvaluateParams{}.size == CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  same = same && EnableParams{}.size == CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
  same = same && ProfilerParams{}.size == CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
  same = same && SetConfigParams{}.size == CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
  same = same && StopParams{}.size == CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
  same = same && DecodeParams{}.size == CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
  same = same && CounterSizeParams{}.size == CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
  same = same && CounterImageParams{}.size == CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  same = same && CounterInfoParams{}.size == CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  return same ? 0 : 1;
}
