#include "sda/topic_stream.h"

#include <fmt/format.h>

#include <utility>

#include "sda/errors.h"

namespace sda {
namespace {

// Documents that come from outside one by one have draws without bound: see kMaxMinibatchDraws.
uint64_t DrawsOf(const Documents& documents) {
  uint64_t draws = 0;
  for (size_t d = 0; d < documents.size(); ++d) draws += Draws(documents, d);
  return draws;
}

}  // namespace

TopicStream::TopicStream(const TopicOptions& options, std::vector<std::string> vocabulary,
                         Context context)
    : context_(std::move(context)),
      session_(std::make_shared<TopicSession>(options, std::move(vocabulary), context_)),
      keeps_(session_->options().first_minibatch.has_value()) {}

TopicStream::TopicStream(TopicModel model, Context context, Documents kept, uint64_t formed,
                         const std::string& notes)
    : context_(std::move(context)),
      session_(std::make_shared<TopicSession>(std::move(model), context_)),
      keeps_(kept.size() > 0),
      kept_(std::move(kept)),
      formed_(formed) {
  if (!notes.empty()) session_->ContinueNotes(notes);
}

std::shared_ptr<const TopicSession> TopicStream::session() const {
  std::lock_guard lock(mutex_);
  return session_;
}

bool TopicStream::Enough(const Documents& documents) const {
  return documents.size() >= static_cast<uint64_t>(*session_->options().first_minibatch) ||
         DrawsOf(documents) >= kMaxMinibatchDraws;
}

Summary TopicStream::Update(Documents documents) {
  if (!keeps_) return session_->Update(std::move(documents));
  Documents together = kept_;
  AppendDocuments(documents, &together);
  const bool enough = Enough(together);
  if (!enough && session_->options().topics == kAutoTopics) {
    throw UsageError(fmt::format(
        "topics is auto: their number is chosen by the first piece, which has {} documents, and "
        "must have --first-minibatch ({}) or more; push more of them at once, or set "
        "--first-minibatch or the number of topics",
        documents.size(), *session_->options().first_minibatch));
  }
  const bool anew = enough || 2 * together.size() >= 3 * formed_;
  const size_t size = together.size();
  Summary summary;
  if (enough) {
    summary = FormAnew(std::move(together));
    together = {};
  } else {
    summary = anew ? FormAnew(together) : session_->Update(std::move(documents));
  }
  if (anew) formed_ = size;
  keeps_ = !enough;
  kept_ = std::move(together);
  return summary;
}

Summary TopicStream::FormAnew(Documents documents) {
  auto fresh =
      std::make_shared<TopicSession>(session_->options(), session_->vocabulary(), context_);
  const Summary summary = fresh->Update(std::move(documents));
  std::lock_guard lock(mutex_);
  session_ = std::move(fresh);
  return summary;
}

Summary TopicStream::Run(Source<Documents>& source, const Observer& observer) {
  keeps_ = false;
  kept_ = {};
  return session_->Run(source, observer);
}

}  // namespace sda
