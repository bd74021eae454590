#ifndef SDA_TESTS_BASE_TEMPORARY_FILE_H_
#define SDA_TESTS_BASE_TEMPORARY_FILE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sda {

// A file with this content that is gone at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& suffix = "") {
    static int count = 0;
    path_ = (std::filesystem::path(::testing::TempDir()) /
             ("sda_" + std::to_string(getpid()) + "_" + std::to_string(count++) + suffix))
                .string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The message of the exception that f() throws; empty if it throws none.
template <class Exception, class F>
std::string MessageOf(F f) {
  try {
    f();
    return "";
  } catch (const Exception& e) {
    return e.what();
  }
}

}  // namespace sda

#endif  // SDA_TESTS_BASE_TEMPORARY_FILE_H_
