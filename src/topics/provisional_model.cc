#include "topics/provisional_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sda/topics.h"

namespace sda {

uint64_t AwaitedDocuments(const CorpusOptions& options) {
  const uint64_t first = options.first_minibatch > 0 ? options.first_minibatch : options.minibatch;
  const bool words_are_known = !options.vocabulary.empty() || !options.vocabulary_file.empty();
  return words_are_known ? first : std::max(first, options.vocabulary_documents);
}

void SaveProvisionalModel(const ProvisionalModel& model, const std::vector<std::string>& vocabulary,
                          const Documents& documents, const Context& context) {
  const bool stopped = context.StopRequested();
  if (stopped) {
    context.Log(fmt::format("stopped; fitting the {} that came",
                            Plural(documents.size(), "document", "documents")));
  }
  TopicSession::Hooks hooks;
  hooks.on_start_sweep = [&](int, int) { return stopped || !context.StopRequested(); };
  TopicSession session(model.options, vocabulary, Context(context.threads()), std::move(hooks));
  session.Update(documents);
  SaveTopicModel(session.Release(), model.output);
  const std::string awaited = fmt::format(
      "; it is fitted anew as further ones come, until there are {}", Grouped(model.awaited));
  context.Log(fmt::format("{}: a provisional model of the first {}{}", model.output,
                          Plural(documents.size(), "document", "documents"),
                          stopped ? "" : awaited));
}

}  // namespace sda
