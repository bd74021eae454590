#ifndef SDA_DATA_IO_INPUT_H_
#define SDA_DATA_IO_INPUT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/safe_file.h"
#include "data/io/file_identity.h"
#include "sda/context.h"
#include "sda/errors.h"

namespace sda {

// A stream of bytes from a file or standard input, decompressed if it is gzip, zstd, xz or
// bzip2 (detected from its first bytes, not its name). Truncated or corrupt compressed data is an
// error, never a shorter stream.
class Input {
 public:
  virtual ~Input() = default;

  // Fills the front of buffer; 0 only at the end of the stream. May return less than asked for.
  virtual size_t Read(std::span<char> buffer) = 0;

  // Skips the next bytes. Returns how many: fewer only at the end of the stream.
  virtual uint64_t Skip(uint64_t bytes);

  // Waits until there is something to Read() without waiting, or the stream has ended: true. False
  // if that takes longer.
  virtual bool WaitForBytes(std::chrono::steady_clock::time_point until) = 0;

  // True once the stream ended because a stop was requested: the data read may end anywhere.
  virtual bool stopped() const = 0;

  // Of a file that is followed: true once its stream ended because another file has its name, or it
  // was truncated and rewritten. OpenNext() then continues.
  virtual bool continues() const { return false; }
  virtual std::unique_ptr<Input> OpenNext() const { return nullptr; }
  // The stream may have ended in the middle of a line: it was stopped, or the file was truncated.
  virtual bool cut_off() const { return stopped(); }
  // Of a file that is followed: the file, and how much of it was read.
  virtual FileIdentity identity() const { return {}; }

  // As the user wrote it; "standard input" for "-".
  virtual const std::string& name() const = 0;

  // Progress through the file as it is on disk: bytes read so far, and its size (0: not known).
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t bytes_total() const = 0;

  // path "-" is standard input. When the context is stopped, waiting for further bytes (of a pipe,
  // or of a file that is followed; another file never waits) ends as if the stream had ended. A
  // file that is followed, under the name `follow` if what is opened is no longer called that, is
  // waited for to grow until continues(); what happens to it is logged. Throws InputError.
  static std::unique_ptr<Input> Open(const std::string& path, const Context& context = Context(),
                                     const std::optional<std::string>& follow = {});
  // The same in two steps: the bytes as they are on disk, of which none is read yet; and
  // decompressed, if the first of them say so. `known` is told which file is
  // followed, at once and whenever its beginning has become much longer; but not of OpenNext().
  // modified: that of its identity, if it is not 0.
  static std::unique_ptr<Input> OpenRaw(const std::string& path, const Context& context,
                                        const std::optional<std::string>& follow,
                                        const std::function<void(const FileIdentity&)>& known = {},
                                        uint64_t modified = 0);
  static std::unique_ptr<Input> Decompress(std::unique_ptr<Input> raw);
};

}  // namespace sda

#endif  // SDA_DATA_IO_INPUT_H_
