#include "data/text/stop_words.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/utf8.h"
#include "data/io/input.h"
#include "data/io/line_reader.h"
#include "data/text/stop_words_iso.h"
#include "data/text/tokenizer.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;

// Function words, which carry no information about the subject of a text.
constexpr std::string_view kEnglish = R"(
a an the this that these those such same other another each every either neither both all any some
none no not nor only own too very so
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
she her hers herself it its itself they them their theirs themselves one ones oneself who whom whose
which what whatever whichever whoever somebody someone something anybody anyone anything nobody
nothing everybody everyone everything
am is are was were be been being have has had having do does did doing done can could may might must
shall should will would ought need dare let lets get gets got getting make makes made making
go goes going went gone come comes came coming take takes took taken say says said saying
and but or if then else than because while although though unless until till since whereas whether
once lest provided
about above across after against along amid among amongst around as at before behind below beneath
beside besides between beyond by despite down during except for from in inside into like near of off
on onto out outside over past per regarding round through throughout to toward towards under
underneath up upon versus via with within without
again ago almost alone already also always altogether anyhow anyway anywhere apart aside away back
ever everywhere far further furthermore hence here hereby how however indeed instead just later less
least likewise many maybe meanwhile more moreover most mostly much namely nevertheless never
nonetheless nowhere now often otherwise perhaps quite rather really several seldom somehow sometimes
somewhat somewhere soon still there thereafter thereby therefore thereof thus together twice usually
well when whence whenever where whereby wherein wherever why yet few fewer little lot lots
enough even first second third last next two three four five six seven eight nine ten
ain't aren't can't cannot couldn't couldn't've didn't doesn't don't hadn't hasn't haven't he'd he'll
he's here's how's i'd i'll i'm i've isn't it'd it'll it's let's mightn't mustn't needn't shan't she'd
she'll she's shouldn't should've somebody's someone's that'd that'll that's there'd there'll there's
they'd they'll they're they've wasn't we'd we'll we're we've weren't what'll what's when's where's
who'd who'll who's why's won't wouldn't would've could've might've must've you'd you'll you're you've
etc e.g i.e eg ie
)";

// The stopwords-iso collection: a JSON object with a list of words for each code.
json LanguageLists() { return kStopWordsIso.empty() ? json::object() : json::parse(kStopWordsIso); }

void AddWords(std::string_view text, Tokenizer* tokenizer, std::vector<std::string>* words) {
  for (const std::string_view word : tokenizer->Split(text)) words->emplace_back(word);
}

// "de", "en,fr", "english,de".
std::vector<std::string> PartsOf(const std::string& choice) {
  std::vector<std::string> parts = {""};
  for (const char c : choice) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool IsCode(const std::string& part) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return part.size() == 2 && lower(part[0]) && lower(part[1]);
}

void AddLanguage(const std::string& code, Tokenizer* tokenizer, std::vector<std::string>* words) {
  const json lists = LanguageLists();
  if (lists.empty()) {
    throw UsageError("stop_words has the language " + code +
                     ", but this program was built without the lists of languages: build it with "
                     "./dev build and a network, or give a file of words");
  }
  const auto list = lists.find(code);
  if (list == lists.end()) {
    std::string codes;
    for (const auto& [known, unused] : lists.items()) codes += (codes.empty() ? "" : ", ") + known;
    throw UsageError("stop_words has the language " + code + ", must be one of " + codes);
  }
  for (const json& word : *list) AddWords(word.get<std::string>(), tokenizer, words);
}

}  // namespace

bool AreLanguages(const std::string& choice) {
  const auto parts = PartsOf(choice);
  const bool languages = std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return part == "english" || IsCode(part);
  });
  return languages && choice != "english" && !std::filesystem::exists(choice);
}

std::vector<std::string> StopWordLanguages() {
  std::vector<std::string> codes;
  const json lists = LanguageLists();
  for (const auto& [code, unused] : lists.items()) codes.push_back(code);
  return codes;
}

std::vector<std::string> StopWords(const std::string& choice) {
  std::vector<std::string> words;
  if (choice == "none") return words;
  Tokenizer tokenizer(1);
  if (choice == "english") {
    AddWords(kEnglish, &tokenizer, &words);
    return words;
  }
  if (AreLanguages(choice)) {
    for (const std::string& part : PartsOf(choice)) {
      if (part == "english") {
        AddWords(kEnglish, &tokenizer, &words);
      } else {
        AddLanguage(part, &tokenizer, &words);
      }
    }
    return words;
  }
  LineReader lines(Input::Open(choice));
  std::string_view line;
  while (lines.Next(&line)) {
    if (!IsValidUtf8(line)) lines.Fail("found " + Quoted(line) + ", expected a word in UTF-8");
    AddWords(line, &tokenizer, &words);
  }
  return words;
}

}  // namespace sda
