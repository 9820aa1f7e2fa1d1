// A REST interface on a store in memory, with two organizations.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/server/access/token_access.h"
#include "lamarck/server/organization_services.h"
#include "lamarck/server/rest/rest_api.h"
#include "lamarck/server/skill_service.h"
#include "lamarck/skills/skill_samples_fixture.h"
#include "lamarck/store/memory_journal.h"

namespace lamarck::server {

struct RestAnswer {
  int status = 0;
  Json body;
  net::HttpHeaders headers;
};

class RestFixture {
 public:
  RestFixture() {
    service = SkillService::open({.path = "", .sends_webhooks = false}, clock)
                  .value();
    access = std::make_unique<TokenAccess>(service->store(), "", clock);
    organizations = std::make_unique<OrganizationServices>(
        ThoughtServiceOptions{}, *service, FindRuns{}, clock);
    api = RestApi::create(
              *service, *access,
              [this](std::string_view org) -> Result<RunService*> {
                return &runs_of(org);
              },
              {.checks_replies = true,
               .organizations = organizations.get(),
               .find_agents = [this](std::string_view org)
                   -> Result<AgentService*> { return &agents_of(org); }})
              .value();
  }

  // The runs of an organization, in a journal in memory.
  RunService& runs_of(std::string_view org) {
    auto& found = runs[std::string(org)];
    if (found.service == nullptr) {
      found.journal = store::make_memory_journal();
      found.service = std::make_unique<RunService>(RunServiceOptions{},
                                                   *found.journal, clock);
    }
    return *found.service;
  }

  // The agents of an organization, whose journal is in memory.
  AgentService& agents_of(std::string_view org) {
    auto& found = agents[std::string(org)];
    if (found == nullptr) {
      found = std::make_unique<AgentService>(
          AgentServiceOptions{},
          AgentServices{.org = std::string(org),
                        .thoughts = *organizations->find(org).value(),
                        .skills = *service,
                        .clock = clock});
    }
    return *found;
  }

  // Creates a token and returns it.
  std::string add_token(const std::string& org, std::string_view role) {
    const std::string token = make_api_token();
    (void)service->store()
        .add_token(
            {.org_id = org, .role = std::string(role), .label = "tester"},
            api_token_hash(token))
        .value();
    return token;
  }

  RestAnswer call(const std::string& method, const std::string& path,
                  const std::string& token = "", const std::string& body = "") {
    net::HttpRequest request;
    request.method = method;
    const std::size_t mark = path.find('?');
    request.path = "/api/v1" + path.substr(0, mark);
    if (mark != std::string::npos) request.query = path.substr(mark + 1);
    if (!token.empty()) {
      request.headers.emplace("Authorization", "Bearer " + token);
    }
    if (!body.empty()) {
      request.headers.emplace("Content-Type", path.starts_with("/uploads")
                                                  ? "text/csv"
                                                  : "application/json");
      request.body = body;
    }
    net::HttpReply reply = api->reply(request);
    return {reply.status, parse_json(reply.body).value(),
            std::move(reply.headers)};
  }

  skills::AgentRecord add_agent(const std::string& org,
                                const std::string& name) {
    return service->store()
        .create_agent(skills::sample_agent(org, name))
        .value();
  }
  skills::Skill add_skill(const skills::AgentRecord& agent,
                          const std::string& name) {
    return service->store()
        .register_skill(skills::sample_registration(agent, name))
        .value();
  }

  SystemClock clock;
  std::unique_ptr<SkillService> service;
  std::unique_ptr<TokenAccess> access;
  struct OrganizationRuns {
    std::unique_ptr<store::Journal> journal;
    std::unique_ptr<RunService> service;
  };
  std::map<std::string, OrganizationRuns, std::less<>> runs;
  std::unique_ptr<OrganizationServices> organizations;
  std::map<std::string, std::unique_ptr<AgentService>, std::less<>> agents;
  std::unique_ptr<RestApi> api;
};

}  // namespace lamarck::server
