// llama.cpp's chat parser as llama-server asks it, on the wire of `--impl`; what it is told: see serve.py.
#include "chat.h"
#include "log.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using nlohmann::json;

struct unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Characters that a stream may parse in all its updates: about a second.
static constexpr size_t PARSED = 100'000'000;

// How a template reads the outputs of one request.
struct reading {
    common_chat_parser_params params;
    bool opened;
};

static std::string file_text(const std::string & path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("can't read the template " + path);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

// Behind the last marker of the list, or 0.
static size_t behind_last(const std::string & text, const json & markers) {
    size_t found = 0;
    for (const std::string marker : markers) {
        const size_t at = text.rfind(marker);
        found = at == std::string::npos ? found : std::max(found, at + marker.size());
    }
    return found;
}

// As oaicompat_chat_params_parse and the schema of a task make it of a chat request without tools.
static reading read_template(const json & declared, const std::string & folder, bool thinking) {
    const auto templates = common_chat_templates_init(nullptr, file_text(folder + "/" + declared.at("template").get<std::string>()));
    common_chat_templates_inputs inputs;
    common_chat_msg question;
    question.role           = "user";
    question.content        = "hi";
    inputs.messages         = {question};
    inputs.reasoning_format = common_reasoning_format_from_name("auto");
    inputs.enable_thinking  = thinking;
    const auto applied = common_chat_templates_apply(templates.get(), inputs);
    reading made{common_chat_parser_params(applied), false};
    made.params.reasoning_format = inputs.reasoning_format;
    if (!applied.parser.empty()) {
        made.params.parser.load(applied.parser);
    }
    const auto & prompt = applied.generation_prompt;
    made.opened = behind_last(prompt, declared.at("opens")) > behind_last(prompt, declared.at("closes"));
    return made;
}

class driver {
  public:
    explicit driver(json told) : told_(std::move(told)) {}

    json answer(const json & asked) {
        if (asked.at("cmd") == "start") {
            return {{"version", 1}, {"implementation", told_.at("implementation")}};
        }
        json answered = {{"seq", asked.at("seq")}};
        try {
            const auto & reading = reading_of(asked.at("request"));
            const auto & declared = told_.at("dialects").at(asked.at("request").at("dialect").get<std::string>());
            if (asked.at("cmd") == "split") {
                const auto raw = asked.at("raw").get<std::string>();
                const auto message = common_chat_parse(raw.substr(0, length_of(raw, declared)), false, reading.params);
                answered["message"] = {{"reasoning", message.reasoning_content}, {"content", message.content}};
            } else {
                std::vector<std::string> chunks;
                for (const auto & chunk : asked.at("chunks")) {
                    chunks.push_back(chunk.at("text"));
                }
                answered["deltas"] = streamed(chunks, declared, reading.params);
            }
        } catch (const unsupported & reason) {
            answered["unsupported"] = reason.what();
        } catch (const std::exception & error) {
            answered["error"] = error.what();
        }
        return answered;
    }

  private:
    json told_;
    std::map<std::pair<std::string, bool>, reading> readings_;

    const reading & reading_of(const json & request) {
        const std::pair<std::string, bool> key{request.at("dialect"), request.at("thinking")};
        auto found = readings_.find(key);
        if (found == readings_.end()) {
            const auto & declared = told_.at("dialects").at(key.first);
            found = readings_.emplace(key, read_template(declared, told_.at("templates"), key.second)).first;
        }
        if (found->second.opened != request.at("opened").get<bool>()) {
            throw unsupported(std::string("the template ") + (found->second.opened ? "opens" : "does not open") +
                              " the thought where thinking is " + (key.second ? "on" : "off"));
        }
        return found->second;
    }

    // Throws unless an output is messages one after the other, the last perhaps cut in its text.
    static void check_form(const std::string & raw, const json & form, const json & atoms) {
        const std::string & next = form.at("next").get_ref<const std::string &>();
        const std::string & end  = form.at("end").get_ref<const std::string &>();
        for (size_t at = 0;;) {
            const auto headers = form.at("headers");
            const auto header  = std::find_if(headers.begin(), headers.end(), [&](const std::string & text) {
                return raw.compare(at, text.size(), text) == 0;
            });
            if (header == headers.end()) {
                throw unsupported("the format's own library refuses text outside a message");
            }
            at = next_atom(raw, at + header->get_ref<const std::string &>().size(), atoms);
            if (at == raw.size()) {
                return;
            }
            const bool ended = raw.compare(at, end.size(), end) == 0;
            if (!ended && raw.substr(at) != form.at("last").get_ref<const std::string &>()) {
                throw unsupported("the format's own library keeps a header inside a message as text");
            }
            at += end.size();
            if (!ended || at == raw.size()) {
                return;
            }
            if (raw.compare(at, next.size(), next) != 0) {
                throw unsupported("the format's own library refuses text outside a message");
            }
            at += next.size();
        }
    }

    // Where the next atom begins, or the end.
    static size_t next_atom(const std::string & raw, size_t from, const json & atoms) {
        size_t found = raw.size();
        for (const auto & atom : atoms) {
            found = std::min(found, raw.find(atom.get_ref<const std::string &>(), from));
        }
        return found;
    }

    // The length that reaches the parser: generation ends at some tokens, and most of these are not part of the text.
    static size_t length_of(const std::string & raw, const json & declared) {
        for (const auto & [text, reason] : declared.at("refused").items()) {
            if (raw.find(text) != std::string::npos) {
                throw unsupported(reason);
            }
        }
        if (!declared.at("form").is_null()) {
            check_form(raw, declared.at("form"), declared.at("atoms"));
        }
        for (const auto & [text, next] : declared.at("loose").items()) {
            const std::string whole = text + next.get<std::string>();
            for (size_t at = raw.find(text); at != std::string::npos; at = raw.find(text, at + 1)) {
                if (raw.compare(at, whole.size(), whole) != 0) {
                    throw unsupported("reads " + text + " for a marker whatever comes next");
                }
            }
        }
        for (const auto & [end, shown] : declared.at("ends").items()) {
            const size_t at = raw.find(end);
            if (at != std::string::npos) {
                if (at + end.size() != raw.size()) {
                    throw unsupported("generation ends at " + end);
                }
                return shown ? raw.size() : at;
            }
        }
        return raw.size();
    }

    // A chunk as the server updates its message: a token that is a special one alone, what is between them at once.
    static std::vector<std::string> updates_of(const std::string & chunk, const json & atoms) {
        std::vector<std::string> updates;
        size_t begin = 0;
        for (size_t at = 0; at < chunk.size();) {
            size_t longest = 0;
            for (const auto & each : atoms) {
                const auto & atom = each.get_ref<const std::string &>();
                if (atom.size() > longest && chunk.compare(at, atom.size(), atom) == 0) {
                    longest = atom.size();
                }
            }
            if (longest == 0) {
                ++at;
                continue;
            }
            if (at > begin) {
                updates.push_back(chunk.substr(begin, at - begin));
            }
            updates.push_back(chunk.substr(at, longest));
            begin = at += longest;
        }
        if (begin < chunk.size() || updates.empty()) {
            updates.push_back(chunk.substr(begin));
        }
        return updates;
    }

    // task_result_state::update_chat_msg for every chunk, and once more, for good, at the end.
    static json streamed(const std::vector<std::string> & chunks, const json & declared, const common_chat_parser_params & params) {
        std::string whole;
        std::vector<std::vector<std::string>> updates;
        size_t parsed = 0;
        for (const auto & chunk : chunks) {
            updates.push_back(updates_of(chunk, declared.at("atoms")));
            for (const auto & update : updates.back()) {
                whole += update;
                parsed += whole.size();
            }
        }
        if (parsed > PARSED) {
            throw unsupported("each update parses the whole output again, and so many aren't waited for");
        }
        const size_t length = length_of(whole, declared);
        json deltas = json::array();
        common_chat_msg before;
        std::string generated;
        for (const auto & chunk : updates) {
            json released = json::array();
            for (const auto & update : chunk) {
                generated.append(update, 0, length - generated.size());
                release(released, before, common_chat_parse(generated, true, params));
            }
            deltas.push_back(std::move(released));
        }
        json last = json::array();
        release(last, before, common_chat_parse(generated, false, params));
        deltas.push_back(std::move(last));
        return deltas;
    }

    static void release(json & released, common_chat_msg & before, const common_chat_msg & now) {
        if (now.empty()) {
            return;
        }
        for (const auto & diff : common_chat_msg_diff::compute_diffs(before, now)) {
            if (!diff.reasoning_content_delta.empty()) {
                released.push_back({"reasoning", diff.reasoning_content_delta});
            }
            if (!diff.content_delta.empty()) {
                released.push_back({"content", diff.content_delta});
            }
        }
        before = now;
    }
};

int main(int count, char ** words) {
    if (count != 2) {
        std::cerr << "usage: driver DECLARATION, as python -m conformance.adapters.llama_cpp.serve starts it\n";
        return 2;
    }
    std::ios::sync_with_stdio(false);
    common_log_set_verbosity_thold(-1);
    driver here(json::parse(words[1]));
    for (std::string line; std::getline(std::cin, line);) {
        const auto asked = json::parse(line);
        if (asked.at("cmd") == "stop") {
            break;
        }
        std::cout << here.answer(asked).dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
        if (std::cin.rdbuf()->in_avail() <= 0) {
            std::cout.flush();
        }
    }
}
