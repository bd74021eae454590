#include "cluster/status_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sda {
namespace {

using cluster::JobStatus;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Half of 2,000 documents, by two workers.
JobStatus Example() {
  JobStatus status{.job = "news",
                   .documents = "topic.of.news",
                   .deltas = "sda.news.log.deltas",
                   .rejected = "sda.news.log.rejected"};
  status.workers = {{"a-1", "10.0.0.1", {0, 1}, true, 60}, {"b-2", "10.0.0.2", {2}, false, 3.25}};
  status.partitions = {
      {0, 900, 500, 400, true}, {0, 700, 300, 400, true}, {0, 500, 300, 200, true}};
  status.totals.documents = 990;
  status.totals.skipped = 9;
  status.totals.bad = 1;
  status.totals.tokens = 123'456;
  status.totals.deltas = 12;
  status.totals.bytes = 5'000'000;
  status.totals.staleness_last = 1;
  status.totals.staleness_sum = 18;
  status.totals.staleness_max = 3;
  status.totals.score_sum = -70;
  status.totals.score_tokens = 10;
  status.documents_per_second = 99;
  status.messages_per_second = 100;
  status.seconds_since = 0.5;
  status.snapshot = {
      .bytes = 1'500'000, .deltas = 8, .delta_bytes = 3'000'000, .seconds_since = 75};
  return status;
}

TEST(StatusTextTest, SaysHowAJobStands) {
  EXPECT_THAT(StatusLines(Example(), {}),
              ElementsAre("job        news, learns from topic topic.of.news (3 partitions)",
                          "progress   [" + std::string(30, '#') + std::string(30, '.') + "]  50%",
                          "documents  990 folded, 1,000 to go",
                          "rate       99 documents/s, about 10 s left",  //
                          "tokens     123,456",                          //
                          "deltas     12, the last one just now",
                          "left out   9 without a known word, 1 bad message, named in topic "
                          "sda.news.log.rejected",
                          "staleness  1 last, 1.5 mean, 3 max",
                          "held-out   -7.0000 per token, before learning",
                          "log        2.0 MB since the snapshot; 5.0 MB in all",
                          "snapshot   1.5 MB, of the first 8 deltas, 1:15 min ago",
                          "workers    2",  //
                          "", "worker          host      documents/s  partitions",
                          "a-1     keeper  10.0.0.1           60  2 (0-1)",
                          "b-2             10.0.0.2          3.2  1 (2)"));
}

TEST(StatusTextTest, MessagesThatWereSetAsideAreNamed) {
  JobStatus status = Example();
  status.set_aside.Add({"sda.news.log.snapshots", 0, 2, "the snapshot has no note"});
  status.set_aside.Add({"sda.news.log.deltas", 0, 17, "the delta has no note"});
  EXPECT_THAT(StatusLines(status, {}),
              Contains("set aside  2 messages, such as topic sda.news.log.deltas, partition 0, "
                       "offset 17: the delta has no note"));
  const auto json = nlohmann::json::parse(StatusJson(status, true));
  EXPECT_EQ(json["set_aside"], 2);
  ASSERT_EQ(json["last_set_aside"].size(), 2);
  EXPECT_EQ(json["last_set_aside"][1]["offset"], 17);
  EXPECT_EQ(json["last_set_aside"][0]["reason"], "the snapshot has no note");
}

TEST(StatusTextTest, PartitionsAreShownOnRequest) {
  const auto lines = StatusLines(Example(), {.partitions = true});
  EXPECT_THAT(lines, Contains("partition  to go  next  end  worker"));
  EXPECT_THAT(lines, Contains("        0    400   500  900  a-1"));
  EXPECT_THAT(lines, Contains("        2    200   300  500  b-2"));
}

TEST(StatusTextTest, ANewJobSaysWhatToDoNext) {
  JobStatus status{.job = "news", .partitions = {{}}};
  EXPECT_THAT(StatusLine(status), HasSubstr("feed some: sda cluster feed news INPUT"));
  status.partitions[0] = {.end = 100, .lag = 100};
  EXPECT_THAT(StatusLine(status), HasSubstr("idle; no worker, start one: sda cluster work news"));
  status.workers.resize(1);
  EXPECT_THAT(StatusLine(status), Not(HasSubstr("start one")));
  EXPECT_THAT(StatusLine(status), HasSubstr("0 folded, 100 to go  idle  staleness 0  1 worker"));
}

TEST(StatusTextTest, AHundredPercentMeansAll) {
  JobStatus status{.job = "news", .partitions = {{.lag = 1}}};
  status.totals.documents = 1'000'000;
  EXPECT_THAT(StatusLines(status, {})[1], HasSubstr(" 99%"));
  status.partitions[0].lag = 0;
  EXPECT_THAT(StatusLines(status, {})[1], HasSubstr("100%"));
  EXPECT_THAT(StatusLine(status), HasSubstr("1,000,000 folded, 0 to go  idle, all caught up"));
}

TEST(StatusTextTest, ALagThatIsEstimatedSaysSo) {
  JobStatus status = Example();
  status.partitions[1].exact = false;
  EXPECT_THAT(StatusLine(status), HasSubstr("about 1,000 to go"));
  EXPECT_EQ(nlohmann::json::parse(StatusJson(status, true))["lag_is_exact"], false);
}

TEST(StatusTextTest, JsonHasStableNames) {
  const auto json = nlohmann::ordered_json::parse(StatusJson(Example(), false));
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("job", "documents_topic", "documents", "tokens", "deltas", "skipped",
                          "bad", "set_aside", "last_set_aside", "lag", "lag_is_exact", "idle",
                          "documents_per_second", "seconds_left", "seconds_since_last_delta",
                          "seconds_from_first_to_last_delta", "staleness_last", "staleness_mean",
                          "staleness_max", "held_out_score", "log", "snapshot", "keeper", "workers",
                          "partitions"));
  EXPECT_EQ(json["lag"], 1000);
  EXPECT_EQ(json["seconds_left"], 10);
  EXPECT_EQ(json["held_out_score"], -7);
  EXPECT_EQ(json["keeper"], "a-1");
  EXPECT_EQ(json["workers"][0]["partitions"], nlohmann::json({0, 1}));
  EXPECT_EQ(json["partitions"][2]["lag"], 200);
  EXPECT_EQ(json["log"]["bytes_since_snapshot"], 2'000'000);
  EXPECT_EQ(json["snapshot"]["bytes"], 1'500'000);
}

TEST(StatusTextTest, WhatIsNotKnownIsNullInJson) {
  JobStatus status{.job = "\xff"};  // no UTF-8
  const auto json = nlohmann::json::parse(StatusJson(status, true));
  for (const char* name :
       {"seconds_left", "seconds_since_last_delta", "held_out_score", "snapshot", "keeper"}) {
    EXPECT_TRUE(json[name].is_null()) << name;
  }
  EXPECT_EQ(json["idle"], true);
  EXPECT_THAT(StatusJson(Example(), true), Not(HasSubstr("\n")));
}

TEST(StatusTextTest, PiecesOfText) {
  EXPECT_EQ(Ranges({}), "");
  EXPECT_EQ(Ranges({0, 1, 2, 3, 7, 9, 10}), "0-3, 7, 9-10");
  EXPECT_EQ(Duration(0), "0 s");
  EXPECT_EQ(Duration(59.6), "1:00 min");
  EXPECT_EQ(Duration(3599), "59:59 min");
  EXPECT_EQ(Duration(7500), "2:05 h");
  EXPECT_EQ(Duration(1e6), "11 days");
  EXPECT_EQ(Duration(1e300), "11574 days");
  EXPECT_EQ(Bytes(999), "999 bytes");
  EXPECT_EQ(Bytes(1500), "1.5 kB");
  EXPECT_EQ(Bytes(999'400), "999 kB");
  EXPECT_EQ(Bytes(999'600), "1.0 MB");
  EXPECT_EQ(Bar(0.5, 4, false), "[##..]");
  EXPECT_EQ(Bar(0.5, 3, true), "█▌░");
  EXPECT_EQ(Bar(1, 3, true), "███");
  EXPECT_EQ(Bar(0, 3, true), "░░░");
}

TEST(StatusTextTest, ManyPartitionsOfAWorkerAreCutShort) {
  JobStatus status = Example();
  status.workers[0].partitions.clear();
  for (int p = 0; p < 1000; p += 2) status.workers[0].partitions.push_back(p);
  for (const auto& line : StatusLines(status, {})) EXPECT_LT(line.size(), 100) << line;
  EXPECT_THAT(StatusLines(status, {}), Contains(HasSubstr("500 (0, 2, 4, 6, 8, 10, 12")));
}

// As much of a terminal as a picture needs.
class Screen {
 public:
  Screen(size_t columns, size_t rows) : columns_(columns), cells_(rows) { Erase(); }

  void Write(const std::string& text) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\r') {
        column_ = 0;
      } else if (text[i] == '\n') {
        LineFeed();
      } else if (text[i] == '\x1b') {
        i = Escape(text, i + 2);
      } else if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) {
        cells_[row_][column_ - 1] += text[i];
      } else {
        if (column_ == columns_) {
          column_ = 0;
          LineFeed();
        }
        cells_[row_][column_++] = text[i];
      }
    }
  }

  std::vector<std::string> Rows() const {
    std::vector<std::string> rows;
    for (const auto& cells : cells_) {
      std::string& row = rows.emplace_back();
      for (const std::string& cell : cells) row += cell;
      row.erase(row.find_last_not_of(' ') + 1);
    }
    return rows;
  }

 private:
  using Cells = std::vector<std::string>;
  void Erase() {
    for (Cells& cells : cells_) cells = Cells(columns_, " ");
  }
  void LineFeed() {
    if (++row_ < cells_.size()) return;
    cells_.erase(cells_.begin());
    cells_.push_back(Cells(columns_, " "));
    --row_;
  }
  size_t Escape(const std::string& text, size_t at) {
    size_t count = 0;
    for (; text[at] >= '0' && text[at] <= '9'; ++at) count = 10 * count + (text[at] - '0');
    if (text[at] == 'A') row_ -= std::min(row_, count);
    for (size_t c = column_; text[at] != 'm' && text[at] != 'A' && c < columns_; ++c) {
      cells_[row_][c] = " ";
    }
    for (size_t r = row_ + 1; text[at] == 'J' && r < cells_.size(); ++r) {
      cells_[r] = Cells(columns_, " ");
    }
    return at;
  }

  const size_t columns_;
  std::vector<Cells> cells_;
  size_t row_ = 0;
  size_t column_ = 0;
};

TEST(RepaintTest, ANewPictureTakesThePlaceOfTheLast) {
  Screen screen(12, 6);
  size_t lines = 0;
  screen.Write("$ prompt\r\n$ more\r\n$ status\r\n");
  screen.Write(Repaint({"long line", "two", "three"}, lines, 12, 6, &lines));
  EXPECT_THAT(screen.Rows(), ElementsAre("$ more", "$ status", "long line", "two", "three", ""));
  screen.Write(Repaint({"short", "TWO"}, lines, 12, 6, &lines));
  EXPECT_THAT(screen.Rows(), ElementsAre("$ more", "$ status", "short", "TWO", "", ""));
  screen.Write(Repaint({"1", "2", "3", "4", "5"}, lines, 12, 6, &lines));
  EXPECT_THAT(screen.Rows(), ElementsAre("1", "2", "3", "4", "5", ""));
}

TEST(RepaintTest, APictureLargerThanTheTerminalIsCut) {
  Screen screen(6, 4);
  size_t lines = 0;
  const std::vector<std::string> picture = {"\x1b[2mabcdefgh\x1b[0m", "█████████", "123456", "4",
                                            "5"};
  for (int i = 0; i < 3; ++i) {
    screen.Write(Repaint(picture, lines, 6, 4, &lines));
    EXPECT_THAT(screen.Rows(), ElementsAre("abcdef", "██████", "123456", ""));
  }
  EXPECT_THAT(Repaint(picture, 0, 6, 4, &lines), HasSubstr("abcdef\x1b[0m"));
  Repaint(picture, 0, 1, 1, &lines);
  EXPECT_EQ(lines, 1);
}

TEST(RepaintTest, ColorsTakeNoColumns) {
  const StatusStyle colored{.unicode = true, .color = true};
  const StatusStyle plain{.unicode = true};
  Screen with(80, 30);
  Screen without(80, 30);
  size_t lines = 0;
  with.Write(Repaint(StatusLines(Example(), colored), 0, 80, 30, &lines));
  without.Write(Repaint(StatusLines(Example(), plain), 0, 80, 30, &lines));
  EXPECT_EQ(with.Rows(), without.Rows());
  EXPECT_THAT(StatusLines(Example(), colored)[0], HasSubstr("\x1b["));
  for (const auto& line : StatusLines(Example(), plain)) EXPECT_THAT(line, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace sda
