#include "service/metrics_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

namespace sda {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A client that waits as long as it takes.
class Browser {
 public:
  explicit Browser(uint16_t port, const char* address = "127.0.0.1")
      : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address, &to.sin_addr);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0;
  }
  ~Browser() { close(fd_); }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  bool connected() const { return connected_; }
  void Send(const std::string& bytes) const { send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // Until the server closes.
  std::string Receive() const {
    std::string all;
    std::array<char, 4096> buffer;
    for (ssize_t n = 0; (n = recv(fd_, buffer.data(), buffer.size(), 0)) > 0;) {
      all.append(buffer.data(), n);
    }
    return all;
  }

 private:
  const int fd_;
  bool connected_;
};

std::string Ask(uint16_t port, const std::string& request) {
  const Browser browser(port);
  browser.Send(request);
  return browser.Receive();
}

constexpr char kGet[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr MetricsServer::Limits kPatient{.time = std::chrono::hours(1)};

TEST(MetricsServerTest, ServesMetrics) {
  int calls = 0;
  const MetricsServer server(0, [&] { return "x " + std::to_string(++calls) + "\n"; });
  EXPECT_EQ(server.url(), "http://127.0.0.1:" + std::to_string(server.port()) + "/metrics");
  const std::string answer = Ask(server.port(), kGet);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: text/plain; version=0.0.4"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 4\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nx 1\n"));
  EXPECT_THAT(Ask(server.port(), "GET /metrics?a=b HTTP/1.0\r\n\r\n"), EndsWith("\r\n\r\nx 2\n"));
}

TEST(MetricsServerTest, AnythingElseIsNotFound) {
  const MetricsServer server(0, [] { return "x 1\n"; });
  for (const std::string request : {"GET / HTTP/1.1\r\n\r\n", "GET /metricsx HTTP/1.1\r\n\r\n",
                                    "POST /metrics HTTP/1.1\r\n\r\n", "GET /metrics\r\n\r\n",
                                    "\r\n\r\n", "\x16\x03\x01\r\n\r\n"}) {
    EXPECT_THAT(Ask(server.port(), request), StartsWith("HTTP/1.1 404 Not Found\r\n")) << request;
  }
}

std::string FirstLine(const std::string& answer) { return answer.substr(0, answer.find('\r')); }

TEST(MetricsServerTest, AnswersToTheNamesOfThisMachineAlone) {
  const MetricsServer server(0, [] { return "secret 1\n"; });
  const auto ask = [&](const std::string& headers) {
    return Ask(server.port(), "GET /metrics HTTP/1.1\r\n" + headers + "\r\n");
  };
  const std::string port = ":" + std::to_string(server.port());
  for (const std::string host : {"localhost", "127.0.0.1", "[::1]", "LocalHost"}) {
    EXPECT_THAT(ask("Host: " + host + port + "\r\n"), EndsWith("secret 1\n")) << host;
    EXPECT_THAT(ask("Accept: */*\r\nhost:" + host + " \r\n"), EndsWith("secret 1\n")) << host;
  }
  // A port that was forwarded here.
  EXPECT_THAT(ask("Host: localhost:8080\r\n"), EndsWith("secret 1\n"));
  for (const std::string host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:80",
        "127.0.0.1:80.evil.example", "localhost@evil.example", "0.0.0.0", "", "10.0.0.1",
        "localhost:x", "[::1", "xlocalhost"}) {
    const std::string answer = ask("Host: " + host + port + "\r\n");
    EXPECT_EQ(FirstLine(answer), "HTTP/1.1 421 Misdirected Request") << host;
    EXPECT_THAT(answer, Not(HasSubstr("secret"))) << host;
  }
  EXPECT_EQ(FirstLine(ask("")), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(FirstLine(ask("Host: localhost\r\nHost: evil.example\r\n")),
            "HTTP/1.1 400 Bad Request");
  // A body does not count.
  EXPECT_EQ(FirstLine(ask("\r\nHost: localhost\r\n")), "HTTP/1.1 400 Bad Request");
}

TEST(MetricsServerTest, HeadHasTheHeadersOfGetAndNoBody) {
  const MetricsServer server(0, [] { return "x 1\n"; });
  for (const std::string target : {"/metrics", "/"}) {
    const std::string rest = target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const std::string get = Ask(server.port(), "GET " + rest);
    EXPECT_EQ(Ask(server.port(), "HEAD " + rest), get.substr(0, get.find("\r\n\r\n") + 4));
  }
}

TEST(MetricsServerTest, AnswersARequestThatComesInPieces) {
  const MetricsServer server(
      0, [] { return "x 1\n"; }, kPatient);
  const Browser browser(server.port());
  for (const char c : std::string(kGet)) browser.Send(std::string(1, c));
  EXPECT_THAT(browser.Receive(), EndsWith("x 1\n"));
}

TEST(MetricsServerTest, AClientThatSaysNothingHoldsUpNobodyAndIsCutOff) {
  const MetricsServer patient(
      0, [] { return "x 1\n"; }, kPatient);
  const Browser silent(patient.port());
  silent.Send("GET /met");
  EXPECT_THAT(Ask(patient.port(), kGet), EndsWith("x 1\n"));

  const MetricsServer strict(0, [] { return "x 1\n"; }, {.time = std::chrono::milliseconds(20)});
  const Browser cut_off(strict.port());
  EXPECT_EQ(cut_off.Receive(), "");  // returns
}

TEST(MetricsServerTest, AClientThatDoesNotReadHoldsUpNobody) {
  const std::string large(64 << 20, 'x');  // more than the system keeps for it
  const MetricsServer server(
      0, [&] { return large; }, kPatient);
  const Browser deaf(server.port());
  deaf.Send(kGet);
  {
    const Browser gone(server.port());
    gone.Send(kGet);
  }
  EXPECT_EQ(Ask(server.port(), kGet).substr(0, 15), "HTTP/1.1 200 OK");
}

TEST(MetricsServerTest, ARequestWithoutEndIsEnded) {
  const MetricsServer server(
      0, [] { return "x 1\n"; }, kPatient);
  const Browser browser(server.port());
  browser.Send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(9000, 'a'));
  EXPECT_THAT(browser.Receive(), StartsWith("HTTP/1.1 431 "));
  const Browser longer(server.port());
  longer.Send("GET /" + std::string(1 << 20, 'a'));
  longer.Receive();  // returns
  EXPECT_THAT(Ask(server.port(), kGet), EndsWith("x 1\n"));
}

TEST(MetricsServerTest, TheOldestOfTooManyClientsGoes) {
  const MetricsServer server(0, [] { return "x 1\n"; },
                             {.time = std::chrono::hours(1), .connections = 3});
  std::vector<std::unique_ptr<Browser>> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(std::make_unique<Browser>(server.port()));
  EXPECT_THAT(Ask(server.port(), kGet), EndsWith("x 1\n"));
  EXPECT_EQ(idle.front()->Receive(), "");  // returns
}

TEST(MetricsServerTest, MetricsThatFailAreAnErrorOfTheServer) {
  const MetricsServer server(0, []() -> std::string { throw std::runtime_error("no numbers"); });
  EXPECT_THAT(Ask(server.port(), kGet), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Ask(server.port(), kGet), EndsWith("no numbers\n"));
}

TEST(MetricsServerTest, APortThatIsTakenIsSaid) {
  const MetricsServer server(0, [] { return ""; });
  try {
    const MetricsServer second(server.port(), [] { return ""; });
    ADD_FAILURE() << "two on one port";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("127.0.0.1:" + std::to_string(server.port())));
    EXPECT_THAT(e.what(), HasSubstr("in use; give another port"));
  }
}

TEST(MetricsServerTest, APortCanBeHadAgainAtOnce) {
  auto server = std::make_unique<MetricsServer>(0, [] { return "x 1\n"; });
  const uint16_t port = server->port();
  Ask(port, kGet);
  server.reset();
  server = std::make_unique<MetricsServer>(port, [] { return "x 2\n"; });
  EXPECT_THAT(Ask(port, kGet), EndsWith("x 2\n"));
}

TEST(MetricsServerTest, ListensOnOneAddressAlone) {
  const MetricsServer server(0, [] { return ""; });
  EXPECT_TRUE(Browser(server.port()).connected());
  EXPECT_FALSE(Browser(server.port(), "127.0.0.2").connected());
}

}  // namespace
}  // namespace sda
