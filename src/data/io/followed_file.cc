#include "data/io/followed_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/safe_file.h"
#include "data/io/input.h"
#include "sda/errors.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

// The files beside it whose names begin with its own, and then . or -.
std::vector<std::string> Relatives(const std::string& name) {
  const fs::path path(name);
  const std::string own = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> found;
  std::error_code ignored;
  for (fs::directory_iterator i(folder, ignored), end; i != end; i.increment(ignored)) {
    const std::string other = i->path().filename().string();
    if (other.size() <= own.size() || !other.starts_with(own)) continue;
    if (other[own.size()] != '.' && other[own.size()] != '-') continue;
    found.push_back(path.has_parent_path() ? i->path().string() : other);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// As logrotate and its like name what they rotate: NAME.1, NAME-20260131, NAME.2026-01-31.gz.
bool IsRotated(const std::string& relative, const std::string& name) {
  const std::string own = fs::path(name).filename().string();
  const std::string rest = fs::path(relative).filename().string().substr(own.size() + 1);
  return !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
}

// What another file has, decompressed, of the one of the identity.
enum class Content { kOther, kAllThatWasRead, kMore };

Content ContentOf(const std::string& path, const FileIdentity& identity) try {
  const FoundFile file(path);
  if (!file.is_regular()) return Content::kOther;
  if (file.SameContent(identity)) {
    return file.size() > identity.size ? Content::kMore : Content::kAllThatWasRead;
  }
  const auto input = Input::Open(path);
  std::string head(std::min<uint64_t>(identity.head_bytes, uint64_t{1} << 20), '\0');
  size_t filled = 0;
  while (filled < head.size()) {
    const size_t n = input->Read(std::span(head).subspan(filled));
    if (n == 0) return Content::kOther;
    filled += n;
  }
  const uint64_t rest = identity.size > head.size() ? identity.size - head.size() : 0;
  if (Checksum(head) != identity.head_checksum || input->Skip(rest) < rest) return Content::kOther;
  return head.size() > identity.size || input->Skip(1) > 0 ? Content::kMore
                                                           : Content::kAllThatWasRead;
} catch (const InputError&) {
  return Content::kOther;  // not compressed, after all, or not to its end
}

// NAME.1.gz: such a file was not truncated.
bool IsCompressed(const std::string& path) {
  return fs::path(path).extension() == ".gz" || fs::path(path).extension() == ".zst";
}

// NAME.1.gz beside NAME.1: a file that is being compressed.
bool IsBeingWritten(const std::string& path) {
  std::error_code ignored;
  return IsCompressed(path) && fs::exists(fs::path(path).replace_extension(), ignored);
}

// Whether it was made before the file of the identity: then it is no copy of it. (When it was last
// written to says less: who compresses a file keeps its time.)
bool IsOlder(const FoundFile& file, const FileIdentity& identity) {
  return file.birth() != 0 && file.birth() < identity.birth;
}

// The files that were rotated, are not empty, and were written to after that one was first read.
// When they were made says nothing: that one may be a copy of a file that was truncated and came
// after it.
std::vector<std::string> RotatedSince(const std::string& name, const FileIdentity& identity) {
  std::vector<std::string> found;
  for (const std::string& path : Relatives(name)) {
    const FoundFile file(path);
    if (!IsRotated(path, name) || file.size() == 0 || IsBeingWritten(path)) continue;
    if (file.modified() > identity.modified) found.push_back(path);
  }
  // The newest first: each is to be joined with the one before it.
  std::stable_sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return FoundFile(a).modified() > FoundFile(b).modified();
  });
  return found;
}

[[noreturn]] void FailShortened(const std::string& name, uint64_t size,
                                const FileIdentity& identity) {
  throw InputError(
      fmt::format("{}: has {} bytes, but {} were read before, and begins as it did, so that its "
                  "first documents would be counted twice; restore the earlier content",
                  name, size, identity.size));
}

}  // namespace

uint64_t NewestOf(const std::string& name) {
  uint64_t newest = FoundFile(name).modified();
  for (const std::string& path : Relatives(name)) {
    if (IsRotated(path, name)) newest = std::max(newest, FoundFile(path).modified());
  }
  return newest;
}

FileIdentity FirstLook(const std::string& name) {
  FileIdentity identity = FileIdentity::Of(name);
  identity.modified = NewestOf(name);
  return identity;
}

FollowedPlace FindFollowed(const std::string& name, const FileIdentity& identity,
                           const Context& context) {
  if (identity.inode == 0) return {name};  // its turn has not come
  std::vector<std::string> candidates = Relatives(name);
  candidates.insert(candidates.begin(), name);
  for (const std::string& path : candidates) {
    const FoundFile file(path);
    if (!file.SameInode(identity) || !file.SameContent(identity)) continue;
    if (!identity.is_telling()) ExpectNoneCopied(name, path, FileIdentity::Of(path), identity);
    return {path};
  }
  for (const std::string& path : candidates) {
    if (!identity.is_telling() || (path != name && IsOlder(FoundFile(path), identity))) continue;
    if (ContentOf(path, identity) != Content::kOther) return {path};
  }
  FileIdentity first = identity;
  first.head_bytes = identity.first_bytes;
  first.head_checksum = identity.first_checksum;
  for (const std::string& path : candidates) {
    const FoundFile file(path);
    if (!file.SameInode(identity)) continue;
    if (identity.size > 0 && file.SameHead(first)) FailShortened(path, file.size(), identity);
    ExpectNoneCopied(name, path, FileIdentity::Of(path), identity);
    context.Log(path + ": was truncated since the checkpoint; it is read from its start again");
    return {path, true};
  }
  throw InputError(
      fmt::format("{}: is another file than the one that was followed, of which {} bytes are read: "
                  "that one is missing, also as {}.1 or a similar name; put it there, so that the "
                  "rest of it is read",
                  name, identity.size, name));
}

std::string FindCopy(const std::string& name, const FileIdentity& identity) {
  if (!identity.is_telling()) return "";
  for (const std::string& path : Relatives(name)) {
    const FoundFile file(path);
    if (file.SameInode(identity) || IsOlder(file, identity)) continue;
    if (file.SameContent(identity)) return path;
  }
  return "";
}

void ExpectNoneFolded(const std::string& name, bool from_start, std::span<const uint64_t> items) {
  if (!from_start || items.empty()) return;
  throw InputError(
      fmt::format("{}: was truncated since the checkpoint, which holds some of the data after the "
                  "place to resume from, but not all: the rest is lost; restore the earlier "
                  "content, as {} or as {}.1, or start from scratch",
                  name, name, name));
}

void ExpectNewBeginning(const std::string& name, int fd, const FileIdentity& identity) {
  struct stat info;
  if (!identity.is_telling() || identity.size == 0 || fstat(fd, &info) != 0) return;
  if (BeginsAsFarAsKnown(fd, identity)) FailShortened(name, info.st_size, identity);
}

void ExpectNoCopy(const std::string& name, const FileIdentity& identity) {
  if (!identity.is_telling() || !FoundFile(name).SameHead(identity)) return;
  throw InputError(fmt::format(
      "{}: was replaced by a file that begins as the one before, so that its first documents would "
      "be counted twice; a run with --checkpoint continues in it with --resume",
      name));
}

void ExpectNoneCopied(const std::string& name, const std::string& path, const FileIdentity& now,
                      const FileIdentity& identity) {
  if (identity.modified == 0 || IsCompressed(path)) return;  // 0: of an earlier version
  for (const std::string& other : RotatedSince(name, identity)) {
    const FoundFile copy(other);
    if (copy.inode() == now.inode || copy.modified() > now.modified) continue;
    if (IsOlder(copy, identity)) continue;
    if (ContentOf(other, identity) == Content::kAllThatWasRead) continue;
    throw InputError(fmt::format(
        "{}: may have been truncated before it was read to its end: {} seems to be a copy of what "
        "was in it; put that before what is in {} now, remove {}, and resume",
        name, other, path, other));
  }
}

void ExpectNoneBetween(const std::string& name, int fd, const FileIdentity& identity) {
  const FileIdentity read = FileIdentity::Of(fd);
  const FoundFile named(name);
  for (const std::string& path : RotatedSince(name, identity)) {
    const FoundFile other(path);
    if (other.inode() == read.inode || other.inode() == named.inode()) continue;
    if (ContentOf(path, identity) == Content::kAllThatWasRead) continue;  // compressed since
    throw InputError(fmt::format(
        "{}: was replaced more than once while it was not read: {} seems to come between the file "
        "that was read and the current one; append it to the file before it, remove it, and resume",
        name, path));
  }
}

}  // namespace sda
