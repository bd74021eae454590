// What a session stores in checkpoints, and how it goes on from one.

#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/parse_json.h"
#include "models/faults.h"
#include "sda/errors.h"
#include "sda/topics.h"
#include "topics/session_state.h"

namespace sda {
namespace {

const Snapshot<KeyedRows>& SnapshotOf(const PosteriorCopy& copy) {
  return *static_cast<const Snapshot<KeyedRows>*>(copy.snapshot.get());
}

}  // namespace

PosteriorCopy TopicSession::CopyOfPosterior() const {
  const PosteriorCopy copy = CopyPosterior(state_->core().store);
  return CheckedWhenWritten(
      copy, [core = &state_->core(), copy] { return core->FaultIn(SnapshotOf(copy).params); });
}

TopicModel TopicSession::ModelOf(const PosteriorCopy& copy) const {
  return state_->ModelOf(SnapshotOf(copy));
}

std::string TopicSession::Notes() const {
  nlohmann::json notes = nlohmann::json::parse(state_->sample.ToJson());
  if (const auto found = search()) notes["search"] = nlohmann::json::parse(found->ToJson());
  if (state_->tokens_before > 0) notes["tokens_before"] = state_->tokens_before;
  return notes.dump();
}

void TopicSession::Resume(const Checkpoint& checkpoint, const Summary& earlier,
                          const std::string& notes) {
  ResumeNotes(checkpoint, notes);
  SessionCore& core = state_->core();
  auto posterior = checkpoint.Posterior<KeyedRows>();
  if (posterior.params.width() != core.learner.prior.width()) {
    throw InputError(checkpoint.path + ": does not have the topics of this run");
  }
  auto check = [&](const KeyedRows& params) {
    if (const auto fault = core.FaultIn(params)) {
      throw InputError(checkpoint.path + ": holds no valid posterior: " + *fault);
    }
  };
  check(posterior.params);
  if ((posterior.forgetting != nullptr) != (core.forgetting != nullptr)) {
    throw InputError(checkpoint.path + ": is of a run that forgets in another way");
  }
  if (posterior.forgetting) {
    for (const KeyedRows& sum : posterior.forgetting->sums) {
      if (sum.width() != posterior.params.width()) {
        throw InputError(checkpoint.path + ": the sums of its rates of forgetting differ");
      }
      check(sum);
    }
  }
  std::lock_guard lock(state_->mutex);
  state_->earlier = earlier;
  // What is in the posterior; the summary of an asynchronous run may be of another moment.
  state_->earlier.counts = posterior.counts;
  state_->earlier.minibatches = posterior.folded.size();
  state_->now = state_->earlier;
  core.store.Restore(std::move(posterior));
  state_->resumed = true;
}

std::string TopicSession::EventNotes() const {
  return state_->begun() && state_->watch ? state_->watch->ToJson() : "";
}

void TopicSession::ResumeEvents(const std::string& notes) {
  if (!notes.empty() && state_->begun() && state_->watch) state_->watch->Resume(notes);
}

void TopicSession::ContinueNotes(const std::string& text) {
  try {
    auto notes = ParseJson(text);
    if (notes.contains("tokens_before")) notes.erase("kept");
    state_->sample.Resume(notes.dump(), IdSet::FirstOnes(next_minibatch()));
    if (!notes.contains("kept")) return;
    state_->posterior_before.reset();
    state_->tokens_before = 0;
  } catch (const std::exception& e) {
    throw InputError(std::string("the notes of a model are bad: ") + e.what());
  }
}

void TopicSession::ResumeNotes(const Checkpoint& checkpoint, const std::string& text) {
  try {
    const auto notes = ParseJson(text.empty() ? "{}" : text);
    state_->sample.Resume(notes.dump(), checkpoint.folded);
    if (!notes.contains("search")) return;
    state_->search = TopicSearch::FromJson(notes.at("search").dump());
    if (!state_->begun()) state_->Begin(state_->options.WithTopics(state_->search->topics));
  } catch (const std::exception& e) {
    throw InputError(checkpoint.path + ": has bad notes: " + e.what());
  }
}

}  // namespace sda
