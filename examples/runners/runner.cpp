// Judges a parser by the corpus, with C++17 and the header of nlohmann-json (Debian: nlohmann-json3-dev):
//     g++ -std=c++17 -O2 -DPARSER='"right.hpp"' runner.cpp -o runner && ./runner CORPUS [DIALECT…]
// The parser is a header with `dialects`, `policy` (a JSON object, axis to value, perhaps empty), `split(raw, request,
// finish)`, which returns a Message, and `Stream`, made of a Request, with `feed(text)` and `finish(finish)`, each of
// which returns deltas. Text is UTF-8; no chunk cuts a code point.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
using json = nlohmann::json;
using Texts = std::vector<std::string>;
struct Request { bool opened, thinking; };
struct Message { std::string reasoning, content; };
struct Delta { bool reasoning; std::string text; };
#include PARSER

// A text of a case: a string, or a list of strings and [string, count] pairs.
std::string text(const json& value) {
  std::string told = value.is_string() ? value.get<std::string>() : "";
  for (const json& part : value.is_string() ? json::array() : value)
    for (int n = part.is_string() ? 1 : part[1].get<int>(); n > 0; --n) told += text(part.is_string() ? part : part[0]);
  return told;
}
Message streamed(const Request& request, const Texts& chunks, const std::string& finish) {
  Message told;
  Stream stream(request);
  for (size_t at = 0; at <= chunks.size(); ++at)
    for (const Delta& delta : at < chunks.size() ? stream.feed(chunks[at]) : stream.finish(finish))
      (delta.reasoning ? told.reasoning : told.content) += delta.text;
  return told;
}
// What is wrong with the parser's reading of a case, or "". `all` is its policy, with a value for each axis.
std::string judge(const json& test, const json& all) try {
  const auto show = [&](Message told) {
    for (std::string* part : {&told.reasoning, &told.content}) {
      const char* white = all.at("space") == "trimmed" ? " \t\n\r\v\f" : "";
      part->erase(part->find_last_not_of(white) + 1).erase(0, part->find_first_not_of(white));
    }
    return json{{"reasoning", told.reasoning}, {"content", told.content}}.dump(-1, ' ', true);
  };
  const auto fits = [&](json merged, const json& values) { return merged.update(values), merged == all; };
  json wanted = test.at("expected"), none = json::array();
  for (const json& entry : test.value("policies", none))
    if (fits(all, entry.at("policy"))) wanted = entry.at("expected");
  bool held = true;
  for (const std::string axis : test.value("axes", none)) held = held && policy.contains(axis);
  const Request request{test.at("request").at("opened"), test.at("request").at("thinking")};
  const std::string raw = text(test.at("raw")), finish = test.at("finish");
  const std::string expected = show({text(wanted.at("reasoning")), text(wanted.at("content"))});
  const std::string found = show(split(raw, request, finish));
  if (held && found != expected) return "the split is " + found + ", not " + expected;
  std::vector<Texts> chunkings{{raw}, {}};
  for (char byte : raw) (byte & 0xC0) == 0x80 ? void(chunkings[1].back() += byte) : chunkings[1].push_back({byte});
  for (const json& chunks : test.value("chunkings", none))
    std::transform(chunks.begin(), chunks.end(), std::back_inserter(chunkings.emplace_back()), text);
  for (const Texts& chunks : chunkings)
    if (const std::string stream = show(streamed(request, chunks, finish)); stream != found)
      return "in " + std::to_string(chunks.size()) + " chunks the stream is " + stream + ", and the split " + found;
  return "";
} catch (const std::exception& error) { return error.what(); }
int main(int count, char** words) {
  const auto read = [&](const std::string& name) { return json::parse(std::ifstream(words[1] + ("/" + name))); };
  json general, schema = read("schema/dialect.schema.json"), listing = read("manifest.json");
  for (const auto& [axis, values] : schema["properties"]["policy"]["properties"].items())
    general[axis] = values.contains("enum") ? values["enum"][0] : json(true);
  int judged = 0, failed = 0;
  for (const std::string& dialect : count > 2 ? Texts(words + 2, words + count) : dialects)
    for (const auto& [name, entry] : listing["files"].items()) {
      if (name.rfind(dialect + "/", 0) != 0 || !entry.contains("cases")) continue;
      json all = general, declared = read(dialect + "/dialect.json"), file = read(name);
      all.update(declared.value("policy", json::object()));
      all.update(policy);
      for (const json& test : file["cases"]) {
        if (const std::string wrong = judge(test, all); ++judged, !wrong.empty())
          ++failed, std::cout << test["id"].get<std::string>() << ": " << wrong << "\n";
      }
    }
  std::cout << judged - failed << " passed, " << failed << " failed\n";
  return judged && !failed ? 0 : 1;
}
