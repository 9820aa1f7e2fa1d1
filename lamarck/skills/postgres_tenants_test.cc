// The database itself hides the rows of other organizations.

#include <gtest/gtest.h>

#include "lamarck/skills/skill_samples_fixture.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/store/postgres/postgres_connection.h"
#include "lamarck/store/postgres/postgres_server_fixture.h"

namespace lamarck::skills {
namespace {

TEST(PostgresTenants, StatementsOfOneOrganizationDoNotReachTheOthers) {
  store::PostgresServer& server = store::PostgresServer::shared();
  server.run(
      "CREATE ROLE tenant LOGIN; "
      "GRANT CREATE ON DATABASE postgres TO tenant");
  const std::string url = server.url("postgres", "tenant");
  ManualClock clock;
  {
    const auto store =
        std::move(open_postgres_skill_store({.path = url}, clock)).value();
    for (const char* const org : {"acme", "other"}) {
      const AgentRecord agent =
          store->create_agent(sample_agent(org, "ada")).value();
      store->register_skill(sample_registration(agent, "count")).value();
    }
  }
  const auto connection =
      std::move(store::PostgresConnection::open({.url = url})).value();
  const auto count = [&](const std::string& from) {
    return connection->query("SELECT count(*) FROM lamarck." + from)
        .value()
        .integer(0, 0);
  };
  ASSERT_EQ(count("evolved_skills"), 2);
  ASSERT_TRUE(connection->execute("SET lmk.organization = 'acme'"));

  for (const char* const table :
       {"agents", "evolved_skills", "skill_versions", "skill_text"}) {
    EXPECT_EQ(count(table), 1) << table;
  }
  EXPECT_EQ(count("evolved_skills WHERE org_id = 'other'"), 0);
  const auto changed =
      connection->query("UPDATE lamarck.evolved_skills SET is_shared = true");
  EXPECT_EQ(changed->changed_count(), 1);
  EXPECT_FALSE(
      connection->execute("UPDATE lamarck.agents SET org_id = 'other'"));
  EXPECT_FALSE(connection->execute(
      "INSERT INTO lamarck.index_revisions VALUES ('third', 1)"));
  server.clear();
  server.run("DROP OWNED BY tenant; DROP ROLE tenant");
}

}  // namespace
}  // namespace lamarck::skills
