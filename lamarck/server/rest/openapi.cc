#include "lamarck/server/rest/openapi.h"

#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/string_split.h"
#include "lamarck/base/version.h"
#include "lamarck/server/rest/route_table.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kComponents = "#/components/schemas/";

Json parsed_schema(std::string_view text) { return Json::parse(text); }

Json schema_reference(std::string_view name) {
  return {{"$ref", std::string(kComponents) + std::string(name)}};
}

Json json_content(Json schema) {
  return {{"application/json", {{"schema", std::move(schema)}}}};
}

Json path_parameters(std::string_view path) {
  Json parameters = Json::array();
  for (const std::string_view part : split_text(path, '/')) {
    if (!part.starts_with('{')) continue;
    parameters.push_back({{"name", part.substr(1, part.size() - 2)},
                          {"in", "path"},
                          {"required", true},
                          {"schema", {{"type", "string"}}}});
  }
  return parameters;
}

void add_query_parameters(std::string_view query, Json& parameters) {
  if (query.empty()) return;
  const Json schema = parsed_schema(query);
  for (const auto& [name, property] : schema.at("properties").items()) {
    Json shape = property;
    Json parameter = {{"name", name}, {"in", "query"}, {"required", false}};
    if (const auto text = shape.find("description"); text != shape.end()) {
      parameter["description"] = *text;
      shape.erase("description");
    }
    parameter["schema"] = std::move(shape);
    parameters.push_back(std::move(parameter));
  }
}

Json success_schema(const Route& route) {
  return {{"type", "object"},
          {"required", {"success", "data"}},
          {"properties",
           {{"success", {{"const", true}}},
            {"data", parsed_schema(route.response)}}}};
}

Json success_content(const Route& route) {
  const Json text = {{"schema", {{"type", "string"}}}};
  if (route.stream != nullptr) return {{"text/event-stream", text}};
  if (route.replies_file) return {{"application/octet-stream", text}};
  return json_content(success_schema(route));
}

Json operation(const Route& route) {
  Json parameters = path_parameters(route.path);
  add_query_parameters(route.query, parameters);
  Json result = {
      {"operationId", route.operation},
      {"summary", route.summary},
      {"description",
       "Needs the role " + std::string(role_name(route.role)) + "."},
      {"tags", {split_text(route.path, '/').at(1)}},
      {"responses",
       {{std::to_string(route.status),
         {{"description", "Success."}, {"content", success_content(route)}}},
        {"4XX", {{"$ref", "#/components/responses/Failure"}}},
        {"5XX", {{"$ref", "#/components/responses/Failure"}}}}}};
  if (!parameters.empty()) result["parameters"] = std::move(parameters);
  if (!route.request_type.empty()) {
    result["requestBody"] = {
        {"required", true},
        {"content",
         {{route.request_type, {{"schema", {{"type", "string"}}}}}}}};
  }
  if (!route.request.empty()) {
    result["requestBody"] = {
        {"required", true},
        {"content", json_content(parsed_schema(route.request))}};
  }
  return result;
}

std::string lower_method(std::string_view method) {
  std::string lower;
  for (const char c : method) lower += static_cast<char>(c - 'A' + 'a');
  return lower;
}

Json component_schemas() {
  Json schemas = Json::object();
  for (const NamedSchema& entry : route_schemas()) {
    schemas[std::string(entry.name)] = parsed_schema(entry.schema);
  }
  return schemas;
}

// Replaces "#/components/schemas/X" by "#/$defs/X".
void point_to_definitions(Json& json) {
  if (json.is_array() || json.is_object()) {
    for (auto& item : json) point_to_definitions(item);
  }
  if (!json.is_object()) return;
  const auto reference = json.find("$ref");
  if (reference == json.end() || !reference->is_string()) return;
  const std::string target = reference->get<std::string>();
  if (target.starts_with(kComponents)) {
    *reference = "#/$defs/" + target.substr(kComponents.size());
  }
}

}  // namespace

Json openapi_document() {
  Json paths = Json::object();
  for (const Route& route : routes()) {
    const std::string path = std::string(kApiPrefix) + std::string(route.path);
    paths[path][lower_method(route.method)] = operation(route);
  }
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "Lamarck"},
            {"version", version()},
            {"summary", "Runs, thoughts, skills and agents."}}},
          {"servers", {{{"url", "/"}}}},
          {"security", {{{"token", Json::array()}}}},
          {"paths", std::move(paths)},
          {"components",
           {{"schemas", component_schemas()},
            {"responses",
             {{"Failure",
               {{"description", "What is wrong, in one sentence."},
                {"content", json_content(schema_reference("Failure"))}}}}},
            {"securitySchemes",
             {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

Json self_contained_schema(const Json& schema) {
  Json whole = schema;
  whole["$defs"] = component_schemas();
  point_to_definitions(whole);
  return whole;
}

}  // namespace lamarck::server
