#ifndef SDA_DATA_IO_FOLLOWED_FILE_H_
#define SDA_DATA_IO_FOLLOWED_FILE_H_

#include <cstdint>
#include <span>
#include <string>

#include "data/io/file_identity.h"
#include "sda/context.h"

namespace sda {

// What has become of a file that is followed, and is looked for by what it is.

// When this file, or one that was rotated, was last written to.
uint64_t NewestOf(const std::string& name);
// The file that is to be followed, at the first look at it.
FileIdentity FirstLook(const std::string& name);

// Where a stream continues that had come to a place in a file that is followed. One that is
// renamed, with another in its place, is read to its end, and then the new one from its start; one
// that is truncated is read from its start again.
struct FollowedPlace {
  std::string path;         // of that file now, perhaps another than the name that is followed
  bool from_start = false;  // it was truncated since, and is read from its start
};

// Looks for it under its name, and then under others in the same folder, also as a copy, which may
// be compressed. That it was truncated is logged. Throws InputError if the file is not there, or is
// shorter than it was and yet begins as it did: its documents would be counted twice.
FollowedPlace FindFollowed(const std::string& name, const FileIdentity& identity,
                           const Context& context = Context());

// A copy under another name, not compressed, of a file that was truncated; empty: there is none.
std::string FindCopy(const std::string& name, const FileIdentity& identity);

// Throws InputError if the stream restarts in a truncated file, and minibatches must have the same
// sizes as before: those already folded were of the old content, and would hide the new.
void ExpectNoneFolded(const std::string& name, bool from_start, std::span<const uint64_t> items);

// Throws InputError if the file, open here, has lost its end, not its beginning: its first
// documents would be counted twice.
void ExpectNewBeginning(const std::string& name, int fd, const FileIdentity& identity);

// Of a file that was truncated, or may have been, and is now this one at `path`: throws InputError
// if one that was rotated seems to be a copy of what was in it and was not read.
void ExpectNoneCopied(const std::string& name, const std::string& path, const FileIdentity& now,
                      const FileIdentity& identity);

// Throws InputError if the file that has the name now begins with all that is known of the
// beginning of the one before, and that is enough to be sure: it was edited, or copied and appended
// to.
void ExpectNoCopy(const std::string& name, const FileIdentity& identity);

// Throws InputError if, between the file that was followed, open here and read to its end, and the
// one that has its name now, there seems to have been another that is not empty: NAME.1,
// NAME-20260131.gz.
void ExpectNoneBetween(const std::string& name, int fd, const FileIdentity& identity);

}  // namespace sda

#endif  // SDA_DATA_IO_FOLLOWED_FILE_H_
