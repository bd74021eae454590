#include "cluster/kafka/explain.h"

#include <fmt/format.h>

namespace sda::cluster {
namespace {

constexpr char kNotTrusted[] = "certificate verify failed";

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string Value(const Properties& client, const char* name) {
  const auto found = client.find(name);
  return found == client.end() ? "" : found->second;
}

std::string User(const Properties& client) {
  const std::string name = Value(client, "sasl.username");
  return name.empty() ? "the user" : "user " + name;
}

// Without the connection's name before it, and the time that it took after it.
std::string Bare(std::string reason) {
  const size_t name = reason.find(": ");
  if (name != std::string::npos) reason.erase(0, name + 2);
  return reason.substr(0, reason.rfind(" (after "));
}

std::string ExplainAuthentication(const std::string& reason, const Properties& client) {
  std::string mechanism = Value(client, "sasl.mechanism");
  if (mechanism.empty()) mechanism = Value(client, "sasl.mechanisms");
  std::string advice =
      "check sasl.username, sasl.password and sasl.mechanism in the properties file";
  constexpr int kRightScram = 0x02060100;  // 2.6.1
  if (mechanism.starts_with("SCRAM") && rd_kafka_version() < kRightScram &&
      Contains(reason, "invalid credentials")) {
    advice += fmt::format(
        "; if they are right: librdkafka {} does SCRAM in a way that Kafka 4 refuses, 2.6.1 or "
        "newer is needed, or sasl.mechanism=PLAIN",
        rd_kafka_version_str());
  }
  return fmt::format("authentication failed for {}: {}; {}", User(client), reason, advice);
}

}  // namespace

bool IsRefusal(rd_kafka_resp_err_t code, const std::string& reason) {
  // The code of a certificate is not always that of TLS, and a connection that is closed while the
  // password is checked has the code of a wrong password.
  if (Contains(reason, kNotTrusted)) return true;
  if (Contains(reason, rd_kafka_err2str(RD_KAFKA_RESP_ERR__TRANSPORT))) return false;
  return IsCutOrRefused(code);
}

bool IsCutOrRefused(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL;
}

std::string ExplainConnection(rd_kafka_resp_err_t code, const std::string& reason,
                              const Properties& client) {
  const std::string bare = Bare(reason);
  if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION) return ExplainAuthentication(bare, client);
  if (Contains(bare, kNotTrusted)) {
    return "the broker's certificate is not trusted, or is not for this address; set "
           "ssl.ca.location in the properties file to the certificate of the authority that signed "
           "it";
  }
  if (Contains(bare, "SSL listener?")) {
    return "it closes the connection; does it speak TLS? Then set security.protocol to SSL or "
           "SASL_SSL in a properties file (--properties, or $SDA_KAFKA_PROPERTIES)";
  }
  if (Contains(bare, "PLAINTEXT broker listener?")) {
    return "it closes the connection in the TLS handshake; does it speak TLS? If not, leave "
           "security.protocol out of the properties file";
  }
  return bare;
}

bool IsForbidden(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
         code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED ||
         code == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED ||
         code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

bool IsHopeless(rd_kafka_resp_err_t code) {
  return IsForbidden(code) || code == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
         code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED;
}

std::string ExplainForbidden(rd_kafka_resp_err_t code, const std::string& operation,
                             const Properties& client) {
  std::string what = "the cluster";
  if (code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
    what = "the topic";
  } else if (code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
    what = "the group";
    const std::string group = Value(client, "group.id");
    if (!group.empty()) what += " " + group;
  } else if (code == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED) {
    what = "the transactional id " + Value(client, "transactional.id");
  }
  return fmt::format("{} lacks the permission {} for {}; docs/cluster.md lists those that it takes",
                     User(client), operation, what);
}

}  // namespace sda::cluster
