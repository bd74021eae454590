#include "cluster/kafka/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sda::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Properties kClient = {{"sasl.mechanism", "PLAIN"},
                            {"sasl.username", "ann"},
                            {"sasl.password", "secret"},
                            {"group.id", "sda.news.1"},
                            {"transactional.id", "sda.news.1.first"}};

TEST(ExplainConnectionTest, AWrongPasswordIsSaidWithTheUserAndWithoutThePassword) {
  const std::string text = ExplainConnection(
      RD_KAFKA_RESP_ERR__AUTHENTICATION,
      "sasl_ssl://kafka:9092/1: SASL authentication error: Authentication failed: Invalid username "
      "or password (after 301ms in state AUTH_REQ)",
      kClient);
  EXPECT_THAT(text, AllOf(HasSubstr("authentication failed for user ann: SASL authentication "
                                    "error: Authentication failed: Invalid username or password; "
                                    "check sasl.username"),
                          Not(HasSubstr("secret")), Not(HasSubstr("SCRAM"))));
}

TEST(ExplainConnectionTest, ScramThatKafkaRefusesIsExplainedWhereTheLibraryIsTooOld) {
  Properties client = kClient;
  client["sasl.mechanism"] = "SCRAM-SHA-256";
  const std::string text = ExplainConnection(
      RD_KAFKA_RESP_ERR__AUTHENTICATION,
      "sasl_ssl://kafka:9092/1: SASL authentication error: Authentication failed during "
      "authentication due to invalid credentials with SASL mechanism SCRAM-SHA-256",
      client);
  EXPECT_EQ(text.find("2.6.1 or newer is needed") != std::string::npos,
            rd_kafka_version() < 0x02060100);
}

TEST(ExplainConnectionTest, WhoDoesNotSpeakTlsIsAsked) {
  EXPECT_THAT(
      ExplainConnection(RD_KAFKA_RESP_ERR__TRANSPORT,
                        "kafka:9092/bootstrap: Disconnected while requesting ApiVersion: might be "
                        "caused by incorrect security.protocol configuration (connecting to a SSL "
                        "listener?) or broker version is < 0.10 (after 1ms in state UP)",
                        {}),
      HasSubstr("does it speak TLS? Then set security.protocol"));
}

TEST(ExplainConnectionTest, AnythingElseIsLeftAsItIs) {
  EXPECT_EQ(ExplainConnection(RD_KAFKA_RESP_ERR__TRANSPORT,
                              "kafka:9092/1: Connect to ipv4#10.0.0.1:9092 failed: Connection "
                              "refused (after 0ms in state CONNECT)",
                              {}),
            "Connect to ipv4#10.0.0.1:9092 failed: Connection refused");
}

TEST(IsRefusalTest, AConnectionThatIsCutIsNone) {
  EXPECT_TRUE(IsRefusal(RD_KAFKA_RESP_ERR__AUTHENTICATION, "kafka: Invalid username or password"));
  EXPECT_TRUE(IsRefusal(RD_KAFKA_RESP_ERR__TRANSPORT, "kafka: certificate verify failed"));
  EXPECT_FALSE(IsRefusal(RD_KAFKA_RESP_ERR__TRANSPORT, "kafka: Connection refused"));
  EXPECT_FALSE(IsRefusal(RD_KAFKA_RESP_ERR__AUTHENTICATION,
                         std::string("kafka: SaslAuthenticateRequest failed: ") +
                             rd_kafka_err2str(RD_KAFKA_RESP_ERR__TRANSPORT)));
}

TEST(ExplainForbiddenTest, ThePermissionIsNamedAndWhatItIsFor) {
  EXPECT_THAT(ExplainForbidden(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "Write", kClient),
              HasSubstr("user ann lacks the permission Write for the topic; docs/cluster.md"));
  EXPECT_THAT(ExplainForbidden(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "Read", kClient),
              HasSubstr("the permission Read for the group sda.news.1;"));
  EXPECT_THAT(
      ExplainForbidden(RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "Write", kClient),
      HasSubstr("the permission Write for the transactional id sda.news.1.first;"));
}

}  // namespace
}  // namespace sda::cluster
