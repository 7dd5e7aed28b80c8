// A parser of qwen3: each marker is looked for where it counts, and what may still become one is held.
#include <algorithm>

const Texts dialects = {"qwen3"};
const json policy = {
    {"reopen", "text"},          {"prefix", "content"},      {"stray_close", "text"},
    {"declined", "dropped"},     {"echoed_open", "text"},    {"calls_end_reasoning", true},
    {"skipped_channel", "stays"}, {"unclosed", "reasoning"}, {"off", "read"},
};

class Stream {
  enum State { BEFORE, INSIDE, AFTER, CALLS };
  struct Watched { std::string marker; State next; bool kept; };

  State state;
  bool words = false;  // before any words a closer declines to think
  std::string held;

  std::vector<Watched> watched() const {
    const Watched open{"<think>", INSIDE, false}, close{"</think>", AFTER, false};
    const Watched call{"<tool_call>", CALLS, true}, end{"</tool_call>", AFTER, true};
    if (state == BEFORE) return words ? std::vector<Watched>{open, call} : std::vector<Watched>{open, call, close};
    if (state == INSIDE) return {close, call};
    return state == AFTER ? std::vector<Watched>{call} : std::vector<Watched>{end};
  }

  std::vector<Delta> read(const std::string& text, bool final) {
    std::vector<Delta> told;
    size_t at = 0;
    while (at < text.size()) {
      const auto all = watched();
      auto here = [&](const Watched& one) { return text.compare(at, one.marker.size(), one.marker) == 0; };
      auto begun = [&](const Watched& one) { return one.marker.compare(0, text.size() - at, text, at) == 0; };
      if (auto found = std::find_if(all.begin(), all.end(), here); found != all.end()) {
        if (found->kept) told.push_back({false, found->marker});
        state = found->next;
        at += found->marker.size();
      } else if (!final && std::any_of(all.begin(), all.end(), begun)) {
        break;
      } else {
        told.push_back({state == INSIDE, text.substr(at, 1)});
        words = words || std::string(" \t\n\r\v\f").find(text[at]) == std::string::npos;
        ++at;
      }
    }
    held = text.substr(at);
    return told;
  }

 public:
  explicit Stream(const Request& request) : state(request.opened ? INSIDE : BEFORE) {}
  std::vector<Delta> feed(const std::string& text) { return read(held + text, false); }
  std::vector<Delta> finish(const std::string&) { return read(held, true); }
};

Message split(const std::string& raw, const Request& request, const std::string& finish) {
  Message told;
  Stream stream(request);
  std::vector<Delta> deltas = stream.feed(raw);
  for (const Delta& delta : stream.finish(finish)) deltas.push_back(delta);
  for (const Delta& delta : deltas) (delta.reasoning ? told.reasoning : told.content) += delta.text;
  return told;
}
