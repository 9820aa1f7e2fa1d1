// Serves the page: its files, and index.html at the address of every view.

#pragma once

#include <span>
#include <string_view>

#include "lamarck/net/http_server.h"
#include "lamarck/server/page/page_file.h"

namespace lamarck::server {

// Whether the path belongs to the page: "/", "/assets/...", and views such as
// "/runs/ID". These paths need no token, because the page contains no data.
bool is_page_path(std::string_view path);

// Whether a browser asks for a document. At an address that the server does not
// know, it gets the page, which says so, and not JSON.
bool wants_page(const net::HttpRequest& request);

// REQUIRES: is_page_path(request.path), or wants_page(request): the reply is
// then the page with status 404.
net::HttpReply page_reply(const net::HttpRequest& request,
                          std::span<const PageFile> files = page_files());

}  // namespace lamarck::server
