// What llama.cpp's chat parser links to and never calls where no model is loaded.
#include <cstdint>
#include <cstdlib>

extern "C" {
void ggml_abort(const char *, int, const char *, ...) { std::abort(); }
int32_t llama_chat_apply_template(const char *, const void *, size_t, bool, char *, int32_t) { std::abort(); }
const char * llama_model_chat_template(const void *, const char *) { std::abort(); }
const void * llama_model_get_vocab(const void *) { std::abort(); }
int32_t llama_token_to_piece(const void *, int32_t, char *, int32_t, int32_t, bool) { std::abort(); }
int32_t llama_vocab_bos(const void *) { std::abort(); }
int32_t llama_vocab_eos(const void *) { std::abort(); }
bool llama_vocab_get_add_bos(const void *) { std::abort(); }
bool llama_vocab_get_add_eos(const void *) { std::abort(); }
}
