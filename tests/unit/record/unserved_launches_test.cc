#include "record/cuda/unserved_launches.h"

#include <gtest/gtest.h>

namespace sonde::record {
namespace {

constexpr UnservedLaunches::Place kThread{1, 10};
constexpr UnservedLaunches::Place kOther{1, 11};

TEST(UnservedLaunches, WhatAThreadCapturesIsNotMissed) {
  UnservedLaunches launches;
  launches.add(kThread, 5);
  launches.note_call("cudaStreamBeginCapture_v10000", kThread, 6, 8);
  launches.add(kThread, 9);
  launches.add(kThread, 12);
  launches.note_call("cudaStreamEndCapture_v10000", kThread, 15, 20);
  launches.add(kThread, 21);
  launches.add(kOther, 10);
  EXPECT_EQ(launches.count(), 3);
}

TEST(UnservedLaunches, CallsMayComeInAnyOrder) {
  UnservedLaunches launches;
  launches.note_call("cuStreamEndCapture", kThread, 15, 20);
  launches.add(kThread, 9);
  launches.note_call("cuLaunchKernel", kThread, 1, 2);
  launches.note_call("cuStreamBeginCapture_v2", kThread, 6, 8);
  launches.note_call("cuStreamBeginCapture_v2", kOther, 1, 2);
  launches.add(kOther, 3);
  EXPECT_EQ(launches.count(), 0);
}

TEST(UnservedLaunches, ACaptureEndsWithItsThread) {
  UnservedLaunches launches;
  launches.note_call("cuStreamBeginCapture_v2", kThread, 1, 2);
  launches.add(kOther, 3);
  EXPECT_EQ(launches.count(), 1);
}

}  // namespace
}  // namespace sonde::record
