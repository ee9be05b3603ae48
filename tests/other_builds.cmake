# Adds the tests of other build trees to this one, so one run and one summary cover all. A tree that is not built is
# skipped; ./dev test builds them first.

# The sanitizer builds run their unit and golden tests.
foreach(tree asan tsan)
  add_test(NAME ${tree} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/run_other_build.sh ${CMAKE_SOURCE_DIR}/build/${tree} -L
                                "unit|golden" -j ${processors})
  set_tests_properties(${tree} PROPERTIES LABELS sanitizer SKIP_RETURN_CODE 77 TIMEOUT 3600 PROCESSORS ${processors})
endforeach()
set_tests_properties(tsan PROPERTIES LABELS "sanitizer;full")

# Each fuzz target runs for a short time from its corpus.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*/*_fuzz.cc)
foreach(source ${fuzz_sources})
  cmake_path(GET source STEM target)
  add_test(NAME fuzz.${target} COMMAND ${CMAKE_SOURCE_DIR}/fuzz/run.sh ${CMAKE_SOURCE_DIR}/build/asan ${target})
  set_tests_properties(fuzz.${target} PROPERTIES LABELS fuzz SKIP_RETURN_CODE 77 TIMEOUT 7200)
endforeach()
