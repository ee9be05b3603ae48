# The unit tests of a sanitizer build, in shards of one process each.

# Rates over thousands of random trials, and what repeats the same code for minutes. The sanitizers see that code in the
# other tests of these suites.
set(trials
    All/AnomalousFortnight.*
    CauseText.CausesOfAllCasesSayWhatIsSo
    DispatchPowerCut.AnywhereInLongerRuns
    TimelineJson.CutsNamesThatWouldFillIt
    Bootstrap.its_interval_holds_the_true_ratio_as_often_as_it_says
    SelfTest.two_hundred_kernels
    SelfTest.states_the_change_that_an_ideal_test_finds_and_few_false_alarms
    Estimates.AtMostOneInAHundredTakesMore
    Judge.false_alarms_over_forty_kernels_stay_below_one_percent
    Judge.finds_five_percent_in_one_of_two_hundred_kernels
    GpuComparison.CallsNoEqualGpuSlow
    ChangePoints.RatesOnNoiseAndOnSteps
    WithoutRecorder.HoldsOverRandomPrograms
    Synth.EachPlantCostsTimeInTheTunedProgram)
list(JOIN trials ":" trials)

set(shards 12)
math(EXPR last "${shards} - 1")
foreach(shard RANGE ${last})
  add_test(NAME unit.shard_${shard} COMMAND sonde_unit_tests --gtest_brief=1 --gtest_filter=-${trials})
  set_tests_properties(unit.shard_${shard} PROPERTIES LABELS unit TIMEOUT 1200 ENVIRONMENT
                                                      "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
endforeach()
