// Topics: a session that documents are pushed to, one minibatch after the other.

#include <cstdio>
#include <random>

#include "sda/sda.h"

int main() {
  const std::vector<std::string> words = {"oven", "bread",  "salt", "soup",  "knife",
                                          "boat", "anchor", "wind", "tide",  "harbour",
                                          "star", "orbit",  "moon", "comet", "telescope"};
  // A document has 40 words of one theme, five words each.
  std::mt19937_64 random(1);
  auto documents = [&](int count) {
    sda::Documents made;
    for (int d = 0; d < count; ++d) {
      const uint32_t theme = random() % 3;
      std::vector<uint32_t> counts(5);
      for (int i = 0; i < 40; ++i) ++counts[random() % 5];
      for (uint32_t w = 0; w < 5; ++w) {
        if (counts[w] == 0) continue;
        made.words.push_back(5 * theme + w);
        made.counts.push_back(counts[w]);
      }
      made.offsets.push_back(made.words.size());
      made.numbers.push_back(d + 1);
    }
    return made;
  };

  sda::TopicOptions options;
  options.topics = 3;
  sda::TopicSession session(options, words);
  const sda::Documents held_out = documents(100);
  for (int i = 0; i < 5; ++i) {
    const sda::Summary summary = session.Update(documents(200));
    std::printf("%5d documents: score %.4f\n", static_cast<int>(summary.counts.items),
                session.Score(held_out).log_predictive);
  }

  // The posterior, with the intervals of each word's share of its topic.
  const sda::TopicModel model = session.Snapshot();
  for (const sda::TopicSummary& topic : sda::SummarizeTopics(model.posterior, model.Spec(), 3)) {
    std::printf("topic %d:", static_cast<int>(topic.topic));
    for (const sda::TopicWord& word : topic.top_words) {
      std::printf("  %s %.2f [%.2f, %.2f]", words[word.word].c_str(), word.probability.mean,
                  word.probability.lower, word.probability.upper);
    }
    std::printf("\n");
  }
  return session.Score(held_out).log_predictive > -1.7 ? 0 : 1;  // log(1/5) is -1.61
}
