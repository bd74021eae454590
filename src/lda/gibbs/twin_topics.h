#ifndef SDA_LDA_GIBBS_TWIN_TOPICS_H_
#define SDA_LDA_GIBBS_TWIN_TOPICS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sda/thread_pool.h"

namespace sda::lda {

// Pairs of topics that are nearly equal: their tokens' words have a cosine above 0.85. Each
// topic is in one pair at most. None are looked for among more than 10,000 topics. Given the word
// and the topic of every token, and the tokens of every word.
std::vector<std::pair<uint32_t, uint32_t>> TwinTopics(const std::vector<uint32_t>& token_words,
                                                      const std::vector<uint32_t>& token_topics,
                                                      const std::vector<uint64_t>& word_tokens,
                                                      size_t topics, ThreadPool* pool);

}  // namespace sda::lda

#endif  // SDA_LDA_GIBBS_TWIN_TOPICS_H_
