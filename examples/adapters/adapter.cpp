// An adapter in C++ that speaks the wire. It needs nlohmann's json.hpp and nothing else:
//
//     c++ -std=c++17 -O2 adapter.cpp -o adapter && pytest --impl='cmd:./adapter'
//
// Put your parser in the place of Parser, and say in IMPLEMENTATION what it is.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

using json = nlohmann::json;
using Delta = std::pair<const char*, std::string>;
using Deltas = std::vector<Delta>;

const json IMPLEMENTATION = {
    {"name", "template-cpp"},
    {"version", "1.0"},
    {"language", "C++"},
    {"dialects", {"qwen3"}},
    {"policy", {{"declined", "dropped"}, {"reopen", "text"}, {"stray_close", "text"}, {"echoed_open", "text"}}},
};

// Reads one output of Qwen3, fed in chunks. opened: the prompt ended with <think>.
class Parser {
  enum State { BEFORE, WORDS, INSIDE, AFTER, CALL };  // WORDS: before, once words came: a closer is text then
  struct Marker { std::string text; State next; bool kept; };

  State state;
  std::string held;

  const std::vector<Marker>& markers() const {
    static const Marker open{"<think>", INSIDE, false}, close{"</think>", AFTER, false};
    static const Marker call{"<tool_call>", CALL, true}, end{"</tool_call>", AFTER, true};
    static const std::vector<Marker> all[] = {{open, close, call}, {open, call}, {close, call}, {call}, {end}};
    return all[state];
  }

  void release(Deltas& deltas, const std::string& text) {
    if (text.empty()) return;
    deltas.push_back({state == INSIDE ? "reasoning" : "content", text});
    if (state == BEFORE && text.find_first_not_of(" \t\n\r\v\f") != std::string::npos) state = WORDS;
  }

  // The deltas that a text releases; what may still become a marker is held.
  Deltas read(const std::string& text, bool final) {
    Deltas deltas;
    size_t done = 0;
    held.clear();
    for (;;) {
      const size_t at = std::min(text.find('<', done), text.size());
      release(deltas, text.substr(done, at - done));
      if (at == text.size()) return deltas;
      const Marker* found = nullptr;
      bool begun = false;
      for (const Marker& marker : markers()) {
        if (text.compare(at, marker.text.size(), marker.text) == 0) found = &marker;
        begun = begun || marker.text.compare(0, text.size() - at, text, at) == 0;
      }
      if (found) {
        if (found->kept) deltas.push_back({"content", found->text});
        state = found->next;
        done = at + found->text.size();
      } else if (!final && begun) {
        held = text.substr(at);
        return deltas;
      } else {
        release(deltas, "<");
        done = at + 1;
      }
    }
  }

 public:
  explicit Parser(bool opened) : state(opened ? INSIDE : BEFORE) {}
  Deltas feed(const std::string& text) { return read(held + text, false); }
  Deltas finish() { return read(std::string(held), true); }
};

// One list of deltas a chunk, and one more, the last, for after the end.
json stream(const json& asked) {
  Parser parser(asked["request"]["opened"]);
  json told = json::array();
  for (const json& chunk : asked["chunks"]) told.push_back(parser.feed(chunk["text"]));
  told.push_back(parser.finish());
  return told;
}

// The message of a whole output. If your parser has a function of its own for that, call it here.
json split(const json& asked) {
  std::string reasoning, content;
  Parser parser(asked["request"]["opened"]);
  for (const Deltas& deltas : {parser.feed(asked["raw"]), parser.finish()}) {
    for (const auto& [channel, text] : deltas) (channel[0] == 'r' ? reasoning : content) += text;
  }
  return {{"reasoning", reasoning}, {"content", content}};
}

// The answer to one question. An error of the parser is an answer too; this process goes on.
json answer(const json& asked) {
  try {
    if (asked["cmd"] == "split") return {{"seq", asked["seq"]}, {"message", split(asked)}};
    return {{"seq", asked["seq"]}, {"deltas", stream(asked)}};
  } catch (const std::exception& error) {
    return {{"seq", asked["seq"]}, {"error", error.what()}};
  }
}

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const json asked = json::parse(line);
    if (asked["cmd"] == "stop") break;
    const json told = asked["cmd"] == "start" ? json{{"version", 1}, {"implementation", IMPLEMENTATION}} : answer(asked);
    // stdout is for answers alone, one a line, each flushed; write to std::cerr whatever else there is to say.
    std::cout << told.dump() << std::endl;
  }
}
