#include "tests/agent/office_tasks.h"

#include <array>
#include <fmt/format.h>

#include "lamarck/base/hash.h"

namespace lamarck {
namespace {

using agent::ToolContext;

std::string make_id(std::string_view kind, const Json& arguments) {
  return fmt::format("{}{}", kind,
                     sha256_hex(dump_json(arguments)).substr(0, 5));
}

struct OfficeTool {
  const char* name;
  const char* description;
  Json parameters;  // Name -> description; all are strings unless "number".
  const char* result;
  bool writes;
};

Json text(const char* description) {
  return {{"type", "string"}, {"description", description}};
}

std::vector<OfficeTool> office_tool_list() {
  return {
      {"find_flight",
       "Find a flight between two cities on a date.",
       {{"origin", text("City of departure.")},
        {"destination", text("City of arrival.")},
        {"date", text("Date as YYYY-MM-DD.")}},
       "flight",
       false},
      {"book_flight",
       "Book a seat on a flight for a passenger.",
       {{"flight", text("Id of the flight.")},
        {"passenger", text("Full name of the passenger.")}},
       "booking",
       true},
      {"send_ticket",
       "Send the ticket of a booking by email.",
       {{"booking", text("Id of the booking.")},
        {"email", text("Email address.")}},
       "ticket",
       true},
      {"get_order",
       "Look up the payment of an order.",
       {{"order_id", text("Id of the order, such as W1.")}},
       "payment",
       false},
      {"refund_payment",
       "Refund a part of a payment.",
       {{"payment", text("Id of the payment.")},
        {"amount", {{"type", "number"}, {"description", "Amount of money."}}}},
       "refund",
       true},
      {"note_reason",
       "Write down why a refund was made.",
       {{"refund", text("Id of the refund.")},
        {"reason", text("Reason of the customer.")}},
       "note",
       true},
      {"find_contact",
       "Find a person in the address book.",
       {{"name", text("Full name of the person.")}},
       "contact",
       false},
      {"create_meeting",
       "Create a meeting with a contact.",
       {{"contact", text("Id of the contact.")},
        {"day", text("Day of the week.")},
        {"time", text("Time as HH:MM.")}},
       "meeting",
       true},
      {"reserve_room",
       "Reserve a room for a meeting.",
       {{"meeting", text("Id of the meeting.")},
        {"room", text("Name of the room.")}},
       "reservation",
       true},
      {"query_sales",
       "Get the table of sales of a region in a quarter.",
       {{"region", text("Region of sales.")},
        {"quarter", text("Quarter, such as Q1.")}},
       "table",
       false},
      {"make_chart",
       "Draw a chart of a table.",
       {{"table", text("Id of the table.")},
        {"style", text("Style of the chart.")}},
       "chart",
       true},
      {"share_chart",
       "Share a chart in a channel.",
       {{"chart", text("Id of the chart.")},
        {"channel", text("Channel, such as #news.")}},
       "message",
       true},
  };
}

using Names = std::array<const char*, 14>;
constexpr Names kFirst = {"Ada",   "Grace", "Linus", "Maria", "Kofi",
                          "Yuki",  "Omar",  "Elena", "Tomas", "Priya",
                          "Jonas", "Amara", "Diego", "Hanna"};
constexpr Names kLast = {"Lovelace", "Hopper", "Park",   "Silva", "Mensah",
                         "Tanaka",   "Haddad", "Petrov", "Novak", "Sharma",
                         "Berg",     "Okafor", "Ramos",  "Vogel"};
constexpr Names kCities = {"Oslo",  "Rome",   "Lima",   "Cairo",  "Paris",
                           "Tokyo", "Dublin", "Madrid", "Delhi",  "Boston",
                           "Seoul", "Vienna", "Lisbon", "Nairobi"};
constexpr Names kReasons = {
    "broken",      "late",      "wrong size", "damaged",       "too small",
    "cracked",     "defective", "stained",    "missing parts", "too loud",
    "wrong color", "scratched", "expired",    "leaking"};
constexpr Names kRooms = {"Cedar", "Maple", "Aspen", "Birch", "Willow",
                          "Olive", "Elm",   "Hazel", "Pine",  "Rowan",
                          "Alder", "Larch", "Beech", "Linden"};
constexpr std::array kDays = {"Monday", "Tuesday", "Wednesday", "Thursday",
                              "Friday"};
constexpr Names kRegions = {"northern", "southern", "eastern",  "western",
                            "coastal",  "alpine",   "rural",    "urban",
                            "Nordic",   "Baltic",   "Atlantic", "Pacific",
                            "central",  "island"};
constexpr std::array kStyles = {"bar", "line", "pie", "area"};
constexpr Names kChannels = {
    "#finance", "#sales", "#board",  "#ops",  "#growth", "#europe", "#reports",
    "#team",    "#leads", "#retail", "#asia", "#weekly", "#design", "#press"};

const char* pick(const Names& names, int number, int offset = 0) {
  return names[static_cast<std::size_t>(number + offset) % names.size()];
}

agent::AgentPlan make_plan(
    const std::vector<std::pair<const char*, Json>>& calls) {
  agent::AgentPlan plan;
  for (const auto& [tool, arguments] : calls) {
    plan.steps.push_back({.action = "", .tool = tool, .arguments = arguments});
  }
  return plan;
}

Json result_of(int step, const char* path) {
  return {{"$result", {{"step", step}, {"path", path}}}};
}

OfficeTask travel(int number) {
  const std::string name =
      fmt::format("{} {}", pick(kFirst, number), pick(kLast, number, 3));
  const std::string origin = pick(kCities, number);
  const std::string destination = pick(kCities, number, 5);
  const std::string date =
      fmt::format("2026-{:02}-{:02}", 1 + number % 12, 1 + number * 7 % 28);
  const std::string email =
      fmt::format("{}@mail{}.example", pick(kFirst, number, 1), number);
  const std::array requests = {
      fmt::format("Fly {} from {} to {} on {} and send the ticket to {}", name,
                  origin, destination, date, email),
      fmt::format("Book a flight for {} from {} to {} on {}, ticket to {}",
                  name, origin, destination, date, email),
      fmt::format("{} needs to fly from {} to {} on {}. Email the ticket to {}",
                  name, origin, destination, date, email)};
  return {
      "travel", requests[static_cast<std::size_t>(number) % 3],
      make_plan(
          {{"find_flight",
            {{"origin", origin}, {"destination", destination}, {"date", date}}},
           {"book_flight",
            {{"flight", result_of(1, "/flight")}, {"passenger", name}}},
           {"send_ticket",
            {{"booking", result_of(2, "/booking")}, {"email", email}}}})};
}

OfficeTask refund(int number) {
  const std::string order = fmt::format("W{}", 1040 + 13 * number);
  const double amount = 20.5 + 3 * number;
  const std::string reason = pick(kReasons, number);
  const std::array requests = {
      fmt::format("Refund {} of order {} because it is {}", amount, order,
                  reason),
      fmt::format("Give {} back for the order {}, reason: {}", amount, order,
                  reason),
      fmt::format("Order {} arrived {}, so refund {}", order, reason, amount)};
  return {
      "refund", requests[static_cast<std::size_t>(number) % 3],
      make_plan({{"get_order", {{"order_id", order}}},
                 {"refund_payment",
                  {{"payment", result_of(1, "/payment")}, {"amount", amount}}},
                 {"note_reason",
                  {{"refund", result_of(2, "/refund")}, {"reason", reason}}}})};
}

OfficeTask meeting(int number) {
  const std::string name =
      fmt::format("{} {}", pick(kFirst, number, 6), pick(kLast, number, 2));
  const std::string day = kDays[static_cast<std::size_t>(number) % 5];
  const std::string time =
      fmt::format("{:02}:{:02}", 8 + number % 10, 5 * (number % 12));
  const std::string room = pick(kRooms, number);
  const std::array requests = {
      fmt::format("Meet {} on {} at {} in the room {}", name, day, time, room),
      fmt::format("Schedule a meeting with {} for {} at {} in room {}", name,
                  day, time, room),
      fmt::format("Set up a meeting on {} at {} with {} in room {}", day, time,
                  name, room)};
  return {
      "meeting", requests[static_cast<std::size_t>(number) % 3],
      make_plan({{"find_contact", {{"name", name}}},
                 {"create_meeting",
                  {{"contact", result_of(1, "/contact")},
                   {"day", day},
                   {"time", time}}},
                 {"reserve_room",
                  {{"meeting", result_of(2, "/meeting")}, {"room", room}}}})};
}

OfficeTask chart(int number) {
  const std::string region = pick(kRegions, number);
  const std::string quarter = fmt::format("Q{}", 1 + number % 4);
  const std::string style = kStyles[static_cast<std::size_t>(number / 4) % 4];
  const std::string channel = pick(kChannels, number);
  const std::array requests = {
      fmt::format("Draw the {} sales of {} as a {} chart and share it in {}",
                  region, quarter, style, channel),
      fmt::format("Make a {} chart of {} sales in {} and post it to {}", style,
                  region, quarter, channel),
      fmt::format("Share a {} chart of the {} sales for {} in {}", style,
                  region, quarter, channel)};
  return {
      "chart", requests[static_cast<std::size_t>(number) % 3],
      make_plan({{"query_sales", {{"region", region}, {"quarter", quarter}}},
                 {"make_chart",
                  {{"table", result_of(1, "/table")}, {"style", style}}},
                 {"share_chart",
                  {{"chart", result_of(2, "/chart")}, {"channel", channel}}}})};
}

}  // namespace

void add_office_tools(agent::ToolRegistry& tools, Office& office) {
  for (const OfficeTool& one : office_tool_list()) {
    Json required = Json::array();
    for (const auto& [name, schema] : one.parameters.items()) {
      required.push_back(name);
    }
    const auto added = tools.add(
        {.info = {.name = one.name,
                  .description = one.description,
                  .input_schema = {{"type", "object"},
                                   {"properties", one.parameters},
                                   {"required", required},
                                   {"additionalProperties", false}},
                  .capabilities =
                      one.writes
                          ? skills::Capabilities{skills::Capability::Writes}
                          : skills::Capabilities{skills::Capability::Reads},
                  .is_idempotent = !one.writes},
         .limits = {},
         .run = [&office, name = std::string(one.name),
                 result = std::string(one.result), writes = one.writes](
                    const Json& arguments, const ToolContext&) -> Result<Json> {
           if (writes) office.changes.push_back({name, arguments});
           return Json{{result, make_id(result, {name, arguments})}};
         }});
    static_cast<void>(added);
  }
}

std::vector<OfficeTask> office_tasks(int number) {
  return {travel(number), refund(number), meeting(number), chart(number)};
}

}  // namespace lamarck
