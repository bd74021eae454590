#ifndef SDA_CLUSTER_WORKER_WORD_SAMPLE_H_
#define SDA_CLUSTER_WORKER_WORD_SAMPLE_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/job.h"

namespace sda::cluster {

// Documents of the whole topic, to choose a job's words from: the first that each partition keeps,
// with about equal numbers from each, and at most `most` in all. Read outside of any group; the
// same topic gives the same documents to all workers. Messages that is_document() rejects are
// ignored. Memory is bounded, too: of large documents there are fewer.
//
// Fewer if a stop is requested. Throws KafkaError.
std::vector<std::string> ReadWordSample(const Job& job, uint64_t most,
                                        const std::function<bool(std::string_view)>& is_document,
                                        const std::stop_token& stop);

// How many of each partition, which has `sizes` messages: `most` in all, if there are that many,
// and the largest share as small as can be.
std::vector<uint64_t> SampleShares(const std::vector<uint64_t>& sizes, uint64_t most);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_WORD_SAMPLE_H_
