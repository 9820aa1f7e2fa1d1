#include "lamarck/server/webhooks/webhook_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::server {
namespace {

using Bytes = std::span<const unsigned char>;

struct AddressRange {
  std::array<unsigned char, 16> first;
  unsigned bits;
};

// RFC 6890 and its registry.
constexpr std::array kPrivate4 = {
    AddressRange{{0}, 8},              // This network.
    AddressRange{{10}, 8},             // Private.
    AddressRange{{100, 64}, 10},       // Shared by a provider.
    AddressRange{{127}, 8},            // Loopback.
    AddressRange{{169, 254}, 16},      // Link, cloud metadata.
    AddressRange{{172, 16}, 12},       // Private.
    AddressRange{{192, 0, 0}, 24},     // Protocols.
    AddressRange{{192, 0, 2}, 24},     // Documentation.
    AddressRange{{192, 88, 99}, 24},   // 6to4 relays.
    AddressRange{{192, 168}, 16},      // Private.
    AddressRange{{198, 18}, 15},       // Benchmarks.
    AddressRange{{198, 51, 100}, 24},  // Documentation.
    AddressRange{{203, 0, 113}, 24},   // Documentation.
    AddressRange{{224}, 4},            // Multicast.
    AddressRange{{240}, 4},            // Reserved, broadcast.
};
// Public IPv6 addresses are in 2000::/3, except for these.
constexpr std::array kPrivate6 = {
    AddressRange{{0x20, 0x01, 0x00}, 23},        // Protocols, Teredo.
    AddressRange{{0x20, 0x01, 0x0d, 0xb8}, 32},  // Documentation.
    AddressRange{{0x3f, 0xff, 0x00}, 20},        // Documentation.
};
constexpr AddressRange kGlobal6{{0x20}, 3};
constexpr AddressRange k6to4{{0x20, 0x02}, 16};
constexpr AddressRange kMapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr AddressRange kNat64{{0, 0x64, 0xff, 0x9b}, 96};

bool is_in(Bytes address, const AddressRange& range) {
  for (unsigned bit = 0; bit < range.bits; ++bit) {
    const unsigned mask = 0x80U >> bit % 8;
    if (((address[bit / 8] ^ range.first[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

bool is_in_any(Bytes address, std::span<const AddressRange> ranges) {
  return std::ranges::any_of(
      ranges, [&](const AddressRange& range) { return is_in(address, range); });
}

bool is_public4(Bytes address) { return !is_in_any(address, kPrivate4); }

bool is_public6(Bytes address) {
  if (is_in(address, kMapped) || is_in(address, kNat64)) {
    return is_public4(address.subspan(12));
  }
  if (is_in(address, k6to4)) return is_public4(address.subspan(2, 4));
  return is_in(address, kGlobal6) && !is_in_any(address, kPrivate6);
}

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct FreeText {
  void operator()(char* text) const { curl_free(text); }
};
struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

std::string url_part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  const std::unique_ptr<char, FreeText> owner(text);
  return text;
}

Error private_host(std::string_view host) {
  return {ErrorCode::InvalidArgument,
          "A webhook must have a public address, and " + in_quotes(host) +
              " is not one; `lamarck serve --allow-private-webhooks` permits "
              "it."};
}

bool is_address_literal(const std::string& host) {
  in6_addr bytes{};
  return inet_pton(AF_INET, host.c_str(), &bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &bytes) == 1;
}

}  // namespace

bool is_public_address(std::string_view address) {
  const std::string text(address);
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return is_public4(bytes);
  }
  return inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1 &&
         is_public6(bytes);
}

Result<WebhookUrl> parse_webhook_url(const std::string& url,
                                     bool allows_private) {
  const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
  const bool is_url = parsed && curl_url_set(parsed.get(), CURLUPART_URL,
                                             url.c_str(), 0) == CURLUE_OK;
  const std::string scheme =
      is_url ? url_part(parsed.get(), CURLUPART_SCHEME) : "";
  if ((scheme != "http" && scheme != "https") ||
      !url_part(parsed.get(), CURLUPART_USER).empty()) {
    return invalid_argument(
        "The URL of a webhook must be http or https, without a user name, "
        "such as https://example.org/hook; got " +
        in_quotes(url) + ".");
  }
  WebhookUrl result;
  result.url = url_part(parsed.get(), CURLUPART_URL);
  result.host = url_part(parsed.get(), CURLUPART_HOST);
  if (result.host.starts_with('[')) {
    result.host = result.host.substr(1, result.host.size() - 2);
  }
  const std::string port =
      url_part(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  std::from_chars(port.data(), port.data() + port.size(), result.port);
  const bool is_private =
      result.host == "localhost" ||
      (is_address_literal(result.host) && !is_public_address(result.host));
  if (is_private && !allows_private) return private_host(result.host);
  return result;
}

Result<std::string> resolve_webhook_host(const WebhookUrl& url,
                                         bool allows_private) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int status = getaddrinfo(url.host.c_str(), nullptr, &hints, &list);
  const std::unique_ptr<addrinfo, FreeAddresses> owner(list);
  if (status != 0 || list == nullptr) {
    return Error(ErrorCode::Unavailable,
                 "The host " + in_quotes(url.host) +
                     " has no address: " + gai_strerror(status) + ".");
  }
  std::string chosen;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(),
                    nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    if (!allows_private && !is_public_address(text.data())) {
      return private_host(url.host);
    }
    if (chosen.empty()) chosen = text.data();
  }
  return chosen;
}

}  // namespace lamarck::server
