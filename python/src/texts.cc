#include "texts.h"

#include <utility>

#include "waiting.h"

namespace sda::python {

void HeldTexts::Choose(const std::vector<std::string_view>& texts) {
  process_.ExpectHere();
  const Context context(1);
  WaitFor(
      [&] {
        std::lock_guard lock(mutex_);
        texts_.ChooseVocabulary(texts, context);
      },
      [&] { context.Interrupt(); });
}

std::unique_ptr<Bags> HeldTexts::Count(const std::vector<std::string_view>& texts) {
  process_.ExpectHere();
  const Context context(1);
  Documents documents;
  WaitFor(
      [&] {
        std::lock_guard lock(mutex_);
        for (size_t i = 0; i < texts.size(); ++i) {
          context.ThrowIfInterrupted();
          texts_.Add(texts[i], i + 1, &documents);
        }
      },
      [&] { context.Interrupt(); });
  return NewDocumentBags(std::move(documents), texts_.vocabulary().size());
}

}  // namespace sda::python
