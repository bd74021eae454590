#ifndef SDA_SERVICE_REQUEST_HOST_H_
#define SDA_SERVICE_REQUEST_HOST_H_

#include <string_view>

namespace sda {

// Whom a request's Host header names. A page of another site can have its own name resolve to
// 127.0.0.1 and then read what is served there (DNS rebinding), but its browser still sends that
// name. So only names of this machine for itself are kLocal; with any port, which may have been
// forwarded.
enum class RequestHost {
  kLocal,
  kOther,
  kMissing,  // or there are several; HTTP/1.0 may do without, and is kLocal then
};

// request: its first line and its headers.
RequestHost HostOf(std::string_view request);

}  // namespace sda

#endif  // SDA_SERVICE_REQUEST_HOST_H_
