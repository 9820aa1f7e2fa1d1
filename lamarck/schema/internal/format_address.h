// The formats of hosts, IP addresses and email addresses.

#pragma once

#include <string_view>

namespace lamarck::schema {

bool is_hex_digit(char c);

bool is_hostname(std::string_view text);  // RFC 1123, ASCII.
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);   // RFC 4291, without a zone.
bool is_email(std::string_view text);  // A mailbox of RFC 5321.

}  // namespace lamarck::schema
