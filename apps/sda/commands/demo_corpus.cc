#include "commands/demo_corpus.h"

#include <cmath>
#include <map>
#include <random>
#include <sstream>

namespace sda {
namespace {

struct Theme {
  const char* name;
  const char* words;  // the most typical first; some belong to more than one theme
};

constexpr Theme kThemes[] = {
    {"sea",
     "harbour tide sailor vessel anchor wave reef captain deck storm island coast mast net whale "
     "current shore lighthouse voyage rope salt fish cargo crew wind compass bay hull"},
    {"kitchen",
     "oven butter flour pan recipe onion garlic salt pepper dough sauce simmer knife bread soup "
     "sugar "
     "spoon fish cheese roast herb bowl whisk lemon plate boil stew yeast"},
    {"stars",
     "telescope planet orbit galaxy star comet moon eclipse lens observer light nebula crater mass "
     "gravity dust rocket signal spectrum cluster sky distance axis satellite probe dark meteor "
     "ring"},
    {"courtroom",
     "judge jury witness verdict lawyer appeal trial evidence statute clerk sentence plaintiff "
     "court "
     "oath contract damages hearing motion signature ruling guilty bail testimony clause fine "
     "guard "
     "record cell"},
    {"garden",
     "seed soil bloom root prune petal compost spade rose hedge leaf greenhouse bulb mulch herb "
     "bee "
     "weed watering orchard stem spring shade branch moss pear fence lemon wind"},
    {"music",
     "melody violin chord rhythm orchestra tempo singer piano concert string bass tune drum choir "
     "flute note scale score rehearsal harmony stage tenor song audience bow key record conductor"},
    {"hospital",
     "nurse patient surgeon ward fever pulse bandage clinic dose symptom vaccine doctor bed "
     "recovery "
     "infection cell blood diagnosis therapy ambulance wound scan bone heart surgery prescription "
     "lung "
     "shift"},
    {"railway",
     "train platform track signal station carriage locomotive ticket tunnel timetable bridge "
     "whistle "
     "passenger engine junction conductor freight rail brake delay bell cargo steam wheel depot "
     "gauge "
     "porter switch"},
};

constexpr const char* kCommon =
    "day people time year work place hand water house small long great way old morning good night "
    "new "
    "left large";

constexpr double kCommonShare = 0.25;    // of the words of every document
constexpr double kConcentration = 0.12;  // of the themes of a document
constexpr int kShortest = 30;
constexpr int kLongest = 90;

std::vector<std::string> Words(const char* text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Frequencies fall with the rank of a word, as in real text.
std::vector<double> RankProbabilities(size_t words) {
  std::vector<double> p(words);
  double sum = 0;
  for (size_t i = 0; i < words; ++i) sum += p[i] = 1 / std::sqrt(i + 2.0);
  for (double& x : p) x /= sum;
  return p;
}

}  // namespace

DemoCorpus MakeDemoCorpus(size_t documents, uint64_t seed) {
  DemoCorpus corpus;
  std::map<std::string, size_t> ids;
  auto id_of = [&](const std::string& word) {
    const auto [entry, is_new] = ids.try_emplace(word, ids.size());
    if (is_new) corpus.vocabulary.push_back(word);
    return entry->second;
  };
  std::vector<std::pair<size_t, double>> common;
  const auto common_words = Words(kCommon);
  const auto common_p = RankProbabilities(common_words.size());
  for (size_t i = 0; i < common_words.size(); ++i) {
    common.emplace_back(id_of(common_words[i]), kCommonShare * common_p[i]);
  }
  std::vector<std::vector<std::pair<size_t, double>>> sparse;
  for (const Theme& theme : kThemes) {
    corpus.themes.emplace_back(theme.name);
    auto& topic = sparse.emplace_back(common);
    const auto words = Words(theme.words);
    const auto p = RankProbabilities(words.size());
    for (size_t i = 0; i < words.size(); ++i) {
      topic.emplace_back(id_of(words[i]), (1 - kCommonShare) * p[i]);
    }
  }
  for (const auto& topic : sparse) {
    auto& dense = corpus.topics.emplace_back(corpus.vocabulary.size(), 0.0);
    for (const auto& [word, p] : topic) dense[word] += p;
  }

  std::mt19937_64 random(seed);
  std::gamma_distribution<double> gamma(kConcentration);
  std::vector<std::discrete_distribution<size_t>> draw_word;
  for (const auto& topic : corpus.topics) draw_word.emplace_back(topic.begin(), topic.end());
  for (size_t d = 0; d < documents; ++d) {
    std::vector<double> theta;
    for (size_t k = 0; k < corpus.topics.size(); ++k) theta.push_back(gamma(random) + 1e-12);
    std::discrete_distribution<size_t> draw_theme(theta.begin(), theta.end());
    std::map<uint32_t, uint32_t> counts;
    const int length = std::uniform_int_distribution<int>(kShortest, kLongest)(random);
    for (int i = 0; i < length; ++i) ++counts[draw_word[draw_theme(random)](random)];
    for (const auto& [word, count] : counts) {
      corpus.documents.words.push_back(word);
      corpus.documents.counts.push_back(count);
    }
    corpus.documents.offsets.push_back(corpus.documents.words.size());
    corpus.documents.numbers.push_back(d + 1);
  }
  return corpus;
}

}  // namespace sda
