// A parser of qwen3 with a common fault: its stream takes a chunk for a marker only where the two are equal.
#define Stream Right
#include "right.hpp"
#undef Stream

class Stream {
  bool reasoning;

 public:
  explicit Stream(const Request& request) : reasoning(request.opened) {}
  std::vector<Delta> feed(const std::string& text) {
    if (text != "<think>" && text != "</think>") return {{reasoning, text}};
    reasoning = text == "<think>";
    return {};
  }
  std::vector<Delta> finish(const std::string&) { return {}; }
};
