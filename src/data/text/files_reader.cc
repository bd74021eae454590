#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/folder.h"
#include "base/utf8.h"
#include "data/document_reader.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

// The files of a folder, each read as a whole. As a stream of lines it has none.
class FolderInput : public Input {
 public:
  FolderInput(std::string folder, const Context& context)
      : folder_(std::move(folder)), context_(context), files_(FilesBelow(folder_)) {
    if (files_.empty()) throw InputError(folder_ + ": no file in this folder, expected some");
    for (const std::string& file : files_) {
      std::error_code ignored;
      const uint64_t size = fs::file_size(fs::path(folder_) / file, ignored);
      sizes_.push_back(ignored ? 0 : size);
      total_ += sizes_.back();
    }
  }

  size_t files() const { return files_.size(); }
  const std::string& file(size_t i) const { return files_[i]; }

  // The whole file i, decompressed.
  void ReadFile(size_t i, std::string* text) {
    const auto input = Input::Open((fs::path(folder_) / files_[i]).string(), context_);
    text->clear();
    size_t used = 0;
    do {
      constexpr size_t kPiece = size_t{1} << 16;
      text->resize(used + kPiece);
      const size_t n = input->Read(std::span(*text).subspan(used));
      text->resize(used + n);
      if (n == 0) break;
      used += n;
    } while (used <= LineReader::kMaxLineBytes);
    if (used > LineReader::kMaxLineBytes) {
      throw InputError(fmt::format("{}: more than {} bytes, expected a text of a document",
                                   input->name(), LineReader::kMaxLineBytes));
    }
    if (text->find('\0') != std::string::npos) {
      throw InputError(input->name() + ": found a NUL byte, expected text (UTF-8)");
    }
    Pass(i);
  }
  void Pass(size_t i) { read_ += sizes_[i]; }

  size_t Read(std::span<char>) override { return 0; }
  bool WaitForBytes(std::chrono::steady_clock::time_point) override { return true; }
  bool stopped() const override { return false; }
  const std::string& name() const override { return folder_; }
  uint64_t bytes_read() const override { return read_; }
  uint64_t bytes_total() const override { return total_; }

 private:
  const std::string folder_;
  const Context context_;
  const std::vector<std::string> files_;
  std::vector<uint64_t> sizes_;
  uint64_t total_ = 0;
  uint64_t read_ = 0;
};

class FilesReader : public DocumentReader {
 public:
  explicit FilesReader(std::unique_ptr<FolderInput> folder) : FilesReader(folder.get(), &folder) {}

  bool Read(Record* record) override {
    record->Clear();
    if (next_ == folder_.files()) return false;
    folder_.ReadFile(next_, &text_);
    record->label.id = folder_.file(next_);
    record->number = ++next_;
    if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
    record->text = text_;
    if (!IsValidUtf8(text_)) {
      record->replaced = ReplaceInvalidUtf8(text_, &repaired_);
      record->text = repaired_;
    }
    return true;
  }

  // The offset counts files, too.
  ReaderPosition position() const override { return {next_, 0, next_, 0}; }
  void Seek(const ReaderPosition& position) override {
    if (position.document > folder_.files() || position.document < next_) {
      throw InputError(fmt::format("{}: no file {} to resume from, expected the folder as it was",
                                   folder_.name(), position.document));
    }
    while (next_ < position.document) folder_.Pass(next_++);
  }

 private:
  FilesReader(FolderInput* folder, std::unique_ptr<FolderInput>* owned)
      : DocumentReader(std::make_unique<LineReader>(std::move(*owned))), folder_(*folder) {}

  FolderInput& folder_;
  size_t next_ = 0;  // of the files
  std::string text_;
  std::string repaired_;
};

}  // namespace

std::unique_ptr<DocumentReader> NewFilesReader(const std::string& folder, const Context& context) {
  return std::make_unique<FilesReader>(std::make_unique<FolderInput>(folder, context));
}

}  // namespace sda
