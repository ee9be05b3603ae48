#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dispatch/executor/worker_exchange.h"
#include "dispatch/executor/worker_requests.h"
#include "shared/tcp_server.h"

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

/// A worker that answers as `answers` does, and one request to it.
class WorkerRequestsTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Launch launch(const TcpServer& worker) {
    Launch launch;
    launch.task = 7;
    launch.inference = Inference{.model = "bert", .version = {}, .request = "{}"};
    launch.worker_url = worker.url("");
    return launch;
  }
  EndReport run(const TcpServer& worker) {
    requests_->start(launch(worker), output_);
    return report_.get_future().get();
  }
  [[nodiscard]] std::string output() const {
    std::ifstream file(output_ + ".stdout");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_ = fmt::format("{}/worker_requests_{}", ::testing::TempDir(), getpid());
  std::string output_ = folder_ / "7";
  std::promise<EndReport> report_;
  std::unique_ptr<WorkerRequests> requests_ =
      WorkerRequests::make([this](EndReport report) { report_.set_value(std::move(report)); });
};

TcpServer::Answers status(int status, const std::string& body) {
  return [=](const std::string& /*request*/) {
    return TcpServer::Answer{fmt::format("HTTP/1.1 {} -\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body)};
  };
}

TEST_F(WorkerRequestsTest, writes_the_response_to_the_output) {
  const std::string body(300'000, 'x');
  const TcpServer worker(status(200, body));
  const EndReport report = run(worker);
  EXPECT_EQ(report.cause, EndCause::exit);
  EXPECT_EQ(report.exit_status, 0);
  EXPECT_EQ(output(), body);
  const std::string request = worker.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /v2/models/bert/infer HTTP/1.1\r\n")) << request;
  EXPECT_TRUE(request.contains("\r\nContent-Type: application/json\r\n")) << request;
}

TEST_F(WorkerRequestsTest, a_wrong_request_fails) {
  const TcpServer worker(status(400, R"({"error": "wrong shape"})"));
  const EndReport report = run(worker);
  EXPECT_EQ(report.exit_status, 1);
  EXPECT_TRUE(report.message.ends_with("responded with 400: wrong shape")) << report.message;
}

TEST_F(WorkerRequestsTest, a_worker_that_breaks_off_may_be_asked_again) {
  const TcpServer worker([](const std::string& /*request*/) {
    return TcpServer::Answer{.text = "HTTP/1.1 200 -\r\nContent-Length: 9\r\n\r\nhalf", .closes = true};
  });
  const EndReport report = run(worker);
  EXPECT_EQ(report.cause, EndCause::worker);
  EXPECT_TRUE(report.message.contains("closed the connection")) << report.message;
}

TEST_F(WorkerRequestsTest, the_time_limit_ends_a_request) {
  const TcpServer hanging([](const std::string& /*request*/) { return TcpServer::Answer{}; });
  Launch limited = launch(hanging);
  limited.time_limit_ns = 50'000'000;
  requests_->start(limited, output_);
  EXPECT_EQ(report_.get_future().get().cause, EndCause::time_limit);
}

TEST_F(WorkerRequestsTest, a_request_is_cancelled) {
  const TcpServer hanging([](const std::string& /*request*/) { return TcpServer::Answer{}; });
  requests_->start(launch(hanging), output_);
  while (hanging.requests().empty()) std::this_thread::yield();
  requests_->cancel(7, 1);
  EXPECT_EQ(report_.get_future().get().cause, EndCause::cancelled);
}

TEST_F(WorkerRequestsTest, all_end_with_the_service) {
  const TcpServer hanging([](const std::string& /*request*/) { return TcpServer::Answer{}; });
  requests_->start(launch(hanging), output_);
  requests_->stop();
  const EndReport report = report_.get_future().get();
  EXPECT_EQ(report.cause, EndCause::worker);
  EXPECT_EQ(report.message, "the service stopped");
  report_ = {};
  requests_->start(launch(hanging), output_);
  EXPECT_EQ(report_.get_future().get().message, "the service is stopping");
}

}  // namespace worker_requests_test
}  // namespace sonde::dispatch
