#ifndef SDA_TESTS_TOPICS_TOPIC_TEST_UTIL_H_
#define SDA_TESTS_TOPICS_TOPIC_TEST_UTIL_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sda/documents.h"
#include "sda/topics.h"

namespace sda {

inline std::vector<std::string> WordNames(uint64_t words) {
  std::vector<std::string> names;
  for (uint64_t i = 0; i < words; ++i) names.push_back("word" + std::to_string(i));
  return names;
}

// Documents of 30 tokens, most of them from one of four ranges of words.
inline Documents MakeDocuments(size_t documents, uint64_t words, uint64_t seed) {
  std::mt19937_64 random(seed);
  Documents made;
  for (size_t d = 0; d < documents; ++d) {
    std::map<uint32_t, uint32_t> bag;
    const uint64_t range = random() % 4;
    for (int i = 0; i < 30; ++i) {
      const uint64_t any = random() % words;
      ++bag[static_cast<uint32_t>(i % 5 == 0 ? any : range * (words / 4) + any % (words / 4))];
    }
    for (const auto& [word, count] : bag) {
      made.words.push_back(word);
      made.counts.push_back(count);
    }
    made.offsets.push_back(made.words.size());
    made.numbers.push_back(d + 1);
  }
  return made;
}

inline std::vector<Documents> MakeMinibatches(size_t minibatches, size_t documents,
                                              uint64_t words) {
  std::vector<Documents> made;
  for (size_t i = 0; i < minibatches; ++i) made.push_back(MakeDocuments(documents, words, i + 1));
  return made;
}

// One learner of each kind.
inline std::vector<TopicOptions> LearnersOf(int topics) {
  std::vector<TopicOptions> all(4);
  for (TopicOptions& options : all) options.topics = topics;
  all[0].primitive = "gibbs";
  all[1].primitive = "vb";
  all[2].primitive = "ep";
  all[3].algorithm = "svi";
  all[3].total_documents = 1000;
  return all;
}

}  // namespace sda

#endif  // SDA_TESTS_TOPICS_TOPIC_TEST_UTIL_H_
