#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/file_reader.h"
#include "report/page_bundle.h"
#include "sda/errors.h"
#include "sda/model_report.h"

namespace sda {
namespace {

// JSON that may stand between <script> and </script>: nothing in it can end that element, begin a
// comment or be taken for the end of a line.
std::string ForScript(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i, 3);
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (json[i] == '>') {
      out += "\\u003e";
    } else if (json[i] == '&') {
      out += "\\u0026";
    } else if (rest == "\u2028" || rest == "\u2029") {
      out += rest == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string ForHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

void RequireReportPage() {
  if (!report::PageBundle().empty()) return;
  throw InputError(
      "this program was built without the page of a report: install Node.js and npm (Debian: "
      "nodejs npm), which only the build needs, and build again; sda report --json prints the data "
      "of the page");
}

bool IsReportPage(const std::string& path) {
  constexpr size_t kHead = 4096;  // bytes that hold the mark
  const FileReader file(path);
  const std::string head = file.Read(0, std::min<uint64_t>(kHead, file.size()));
  return head.find(report::kPageMark) != head.npos;
}

std::string ReportPage(const ModelReport& report) {
  RequireReportPage();
  const std::string_view page = report::PageBundle();
  const size_t title = page.find(report::kTitlePlace);
  const size_t data = page.find(report::kDataPlace);
  if (title == page.npos || data == page.npos || data < title) {
    throw std::logic_error("the page has no place for its title and data");
  }
  const size_t after_title = title + report::kTitlePlace.size();
  std::string out(page.substr(0, title));
  out += ForHtml(report.title);
  out += page.substr(after_title, data - after_title);
  out += ForScript(report.ToJson());
  out += page.substr(data + report::kDataPlace.size());
  return out;
}

}  // namespace sda
