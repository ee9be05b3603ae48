#include <gtest/gtest.h>

#include "dispatch/executor/worker_exchange.h"

namespace sonde::dispatch {
namespace worker_requests_test {

TEST(InferUrl, names_model_and_version) {
  EXPECT_EQ(infer_url("http://host:8000", {.model = "bert", .version = {}, .request = {}}),
            "http://host:8000/v2/models/bert/infer");
  EXPECT_EQ(infer_url("http://host:8000/triton//", {.model = "bert", .version = "2", .request = {}}),
            "http://host:8000/triton/v2/models/bert/versions/2/infer");
}

TEST(InferUrl, what_comes_from_the_task_makes_no_path_of_its_own) {
  EXPECT_EQ(infer_url("http://host", {.model = "../a b?c#d%", .version = "1/2", .request = {}}),
            "http://host/v2/models/..%2Fa%20b%3Fc%23d%25/versions/1%2F2/infer");
}

}  // namespace worker_requests_test
}  // namespace sonde::dispatch
