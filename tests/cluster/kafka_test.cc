#include "cluster/kafka/kafka.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "sda/errors.h"
#include "tests/base/temporary_file.h"

namespace sda::cluster {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ClientPropertiesTest, AFileGivesWhatMustNotBeOnTheCommandLine) {
  const TemporaryFile file(
      "# TLS\n"
      "security.protocol = SASL_SSL\n"
      "\n"
      "sasl.password=a=b #c\n"
      "bootstrap.servers=one:1\n");
  EXPECT_EQ(ClientProperties("", file.path()), (Properties{{"security.protocol", "SASL_SSL"},
                                                           {"sasl.password", "a=b #c"},
                                                           {"bootstrap.servers", "one:1"}}));
  EXPECT_EQ(ClientProperties("two:2", file.path()).at("bootstrap.servers"), "two:2");
}

TEST(ClientPropertiesTest, ABadLineIsNamedAndItsContentIsNotShown) {
  const TemporaryFile file("a=b\nsecret\n");
  try {
    ClientProperties("", file.path());
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr(":2: expected NAME=VALUE"));
    EXPECT_THAT(e.what(), Not(HasSubstr("secret")));
  }
  EXPECT_THROW(ClientProperties("", "/no/such/file"), IoError);
  // Or it would connect without what the file demands, such as TLS.
  EXPECT_EQ(MessageOf<IoError>([] { ClientProperties("", "/"); }),
            "/: cannot read: Is a directory");
  const TemporaryFile large(std::string(size_t{2} << 20, '\n'));
  EXPECT_THROW(ClientProperties("", large.path()), InputError);
}

TEST(ClientPropertiesTest, WhatExactlyOnceDependsOnIsRefused) {
  for (const char* line : {"enable.auto.commit=true", "isolation.level = read_uncommitted"}) {
    const TemporaryFile file(line);
    EXPECT_THROW(ClientProperties("", file.path()), InputError) << line;
  }
}

TEST(ClientTest, APropertyThatIsNotKnownIsNamedAndItsValueIsNotShown) {
  for (const Properties& properties :
       {Properties{{"sasl.pasword", "secret"}}, Properties{{"security.protocol", "secret"}}}) {
    try {
      Client client(properties);
      FAIL();
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), HasSubstr("Kafka property s"));
      EXPECT_THAT(e.what(), Not(HasSubstr("secret")));
    }
  }
}

TEST(ClientTest, NobodyAnsweringIsAnErrorThatNamesTheAddress) {
  // Port 1 of loopback: no server listens there.
  const Client client(Properties{{"bootstrap.servers", "127.0.0.1:1"}});
  try {
    client.ExpectBroker(std::chrono::milliseconds(300));
    FAIL();
  } catch (const KafkaError& e) {
    EXPECT_THAT(e.what(), HasSubstr("no Kafka broker answers at 127.0.0.1:1"));
    EXPECT_TRUE(e.unreachable());
  }
}

TEST(JobTest, NamesThatTopicsCannotHaveAreRefused) {
  EXPECT_NO_THROW(CheckJobName("News-2026_a"));
  for (const char* name : {"", "a b", "a/b", "a.b", "ä"}) {
    EXPECT_THROW(CheckJobName(name), UsageError) << name;
  }
  EXPECT_THROW(CheckJobName(std::string(101, 'a')), UsageError);
}

TEST(JobTest, SettingsThatDifferAreNamed) {
  EXPECT_EQ(SettingsDifference(R"({"options": {"topics": 100, "eta": 0.1}, "transport": "float"})",
                               R"({"options": {"topics": 50, "eta": 0.1}, "transport": "double"})"),
            "--topics is 100, not 50; --transport is \"float\", not \"double\"");
  EXPECT_EQ(SettingsDifference(R"({"options": {"topics": 9}})", R"({"options": {"topics": 9}})"),
            "");
  EXPECT_EQ(SettingsDifference(R"({"options": {"sweeps": 9}})", R"({"options": {"eta": 1}})"),
            "--eta is not given, not 1; --sweeps is 9, and not given here");
}

}  // namespace
}  // namespace sda::cluster
