#include "lda/score/prequential.h"

#include <algorithm>
#include <utility>

#include "lda/topic_rows.h"
#include "sda/lda_score.h"

namespace sda {
namespace {

Prediction Score(const Documents& documents, const KeyedRows& prior, const LdaSpec& spec,
                 const Context& context) {
  if (lda::NothingFolded(prior)) return {};
  constexpr size_t kOneOf = 256;  // so that it costs little
  const size_t count = std::min(documents.size(), std::max<size_t>(4, documents.size() / kOneOf));
  const HeldOutSplit split = SplitHeldOut(Slice(documents, 0, count));
  if (split.tested.size() == 0) return {};
  const LdaScore score = LogPredictive(prior, split, spec, context);
  return {score.log_predictive * static_cast<double>(score.test_tokens), score.test_tokens};
}

}  // namespace

Scorer<Documents, KeyedRows> ScoreBeforeLearning(LdaSpec spec, Context context) {
  return [spec = std::move(spec), context = std::move(context)](
             const Minibatch<Documents>& minibatch, const KeyedRows& prior) {
    return Score(minibatch.data, prior, spec, context);
  };
}

}  // namespace sda
