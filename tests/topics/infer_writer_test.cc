#include "topics/infer_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sda/errors.h"

namespace sda {
namespace {

TopicModel TwoTopics() {
  TopicModel model;
  model.options.topics = 2;
  model.options.alpha = {0.5, 0.5};
  model.options.eta = 0.1;
  model.vocabulary = {"bread", "salt, sea", "ship"};
  model.posterior = KeyedRows(std::vector<double>{0.1, 0.1});
  model.posterior.Set(0, std::vector<double>{5.1, 0.1});
  model.posterior.Set(1, std::vector<double>{0.1, 4.1});
  model.posterior.Set(2, std::vector<double>{0.1, 2.1});
  return model;
}

Documents Labelled() {
  Documents documents;
  documents.offsets = {0, 1, 1, 2};
  documents.words = {0, 1};
  documents.counts = {1, 1};
  documents.numbers = {1, 2, 4};
  documents.ids = {"a,\"b\"", "", "d"};
  documents.times = {0, kNoTime, 1500};
  return documents;
}

std::vector<DocumentTopics> Topics() {
  const auto of = [](uint64_t number, size_t topic, double mean) {
    DocumentTopics document;
    document.number = number;
    document.topics.push_back({topic, {"", mean, 0, 0.25, 1}});
    if (number == 4) {
      document.intervals = ProportionIntervals::kLinearResponse;
      document.topics[0].proportion.approximate = true;
    }
    return document;
  };
  return {of(1, 0, 2.0 / 3), of(2, 1, 0.5), of(4, 1, 1e-7 / 3)};
}

std::string Written(const InferOutputOptions& options, const Documents& documents) {
  InferWriter writer(options, TwoTopics());
  std::string text = writer.Write(documents, Topics());
  text += writer.Finish(5);
  EXPECT_EQ(writer.wordless(), 3u);
  return text;
}

TEST(InferWriter, JsonHasWhatIsKnownOfADocument) {
  EXPECT_EQ(Written({}, Labelled()),
            "{\"document\":1,\"id\":\"a,\\\"b\\\"\",\"time\":\"1970-01-01T00:00:00Z\",\"topics\":"
            "[{\"topic\":0,\"proportion\":0.666667,\"lower\":0.25,\"upper\":1.0}],\"intervals\":"
            "\"sampled\"}\n"
            "{\"document\":2,\"topics\":[]}\n"
            "{\"document\":3,\"topics\":[]}\n"
            "{\"document\":4,\"id\":\"d\",\"time\":\"1970-01-01T00:00:01.500Z\",\"topics\":"
            "[{\"topic\":1,\"proportion\":3.33333e-08,\"lower\":0.25,\"upper\":1.0}],\"intervals\":"
            "\"linear-response\",\"approximate\":true}\n"
            "{\"document\":5,\"topics\":[]}\n");
}

TEST(InferWriter, CsvHasARowForEachTopicAndForADocumentWithoutAny) {
  EXPECT_EQ(Written({.format = "csv", .words = 2}, Labelled()),
            "document,id,time,topic,proportion,lower,upper,words,intervals\n"
            "1,\"a,\"\"b\"\"\",1970-01-01T00:00:00Z,0,0.666667,0.25,1,\"bread salt, sea\",sampled\n"
            "2,,,,,,,,\n"
            "3,,,,,,,,\n"
            "4,d,1970-01-01T00:00:01.500Z,1,3.33333e-08,0.25,1,\"salt, sea ship\",linear-response\n"
            "5,,,,,,,,\n");
}

TEST(InferWriter, TsvOfDocumentsWithoutNames) {
  Documents documents = Labelled();
  documents.ids.clear();
  documents.times.clear();
  EXPECT_EQ(Written({.format = "tsv"}, documents),
            "document\ttopic\tproportion\tlower\tupper\tintervals\n"
            "1\t0\t0.666667\t0.25\t1\tsampled\n"
            "2\t\t\t\t\t\n"
            "3\t\t\t\t\t\n"
            "4\t1\t3.33333e-08\t0.25\t1\tlinear-response\n"
            "5\t\t\t\t\t\n");
}

TEST(InferWriter, OtherFormatsAreRefused) {
  EXPECT_THROW(InferWriter({.format = "xml"}, TwoTopics()), UsageError);
}

}  // namespace
}  // namespace sda
