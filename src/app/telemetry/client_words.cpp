#include "app/telemetry/client_words.hpp"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <system_error>

#include <libwebsockets.h>

namespace knuckleboom::app {
namespace {

constexpr std::size_t kLongestOp = 64;

struct WordListener {
  ClientWords& words;
  std::vector<std::uint32_t> ids, channels;
  bool bad_number = false, begun = false;
};

signed char hear_word(lejp_ctx* context, char reason) {
  WordListener& listener = *static_cast<WordListener*>(context->user);
  if (reason == LEJPCB_OBJECT_START) listener.begun = true;
  if ((reason & LEJP_FLAG_CB_IS_VALUE) == 0) return 0;
  // The library's own search for paths leaves out numbers in arrays.
  const std::string_view path(context->path, strnlen(context->path, sizeof context->path));
  const std::string_view text(context->buf, context->npos);
  if (path == "op") {
    if (reason != LEJPCB_VAL_STR_CHUNK && reason != LEJPCB_VAL_STR_END) return 0;
    if (listener.words.op.size() + text.size() > kLongestOp) return 1;
    listener.words.op += text;
    return 0;
  }
  std::vector<std::uint32_t>* const to = path == "subscriptions[].id"          ? &listener.ids
                                         : path == "subscriptions[].channelId" ? &listener.channels
                                         : path == "subscriptionIds[]"
                                             ? &listener.words.unsubscribed
                                             : nullptr;
  if (to == nullptr) return 0;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (reason != LEJPCB_VAL_NUM_INT || error != std::errc() || end != text.data() + text.size())
    listener.bad_number = true;
  else
    to->push_back(number);
  return 0;
}

}  // namespace

std::string read_client_words(std::string_view message, ClientWords& out) {
  WordListener listener{out, {}, {}};
  lejp_ctx context;
  lejp_construct(&context, hear_word, &listener, nullptr, 0);
  const int left = lejp_parse(&context, reinterpret_cast<const unsigned char*>(message.data()),
                              static_cast<int>(message.size()));
  lejp_destruct(&context);
  if (left < 0) return "it is no JSON";
  if (message.substr(message.size() - static_cast<std::size_t>(left))
          .find_first_not_of(" \t\r\n") != std::string_view::npos)
    return "something stands behind its JSON";
  if (!listener.begun || out.op.empty()) return "it has no \"op\"";
  if (listener.bad_number) return "an id in it is no whole number from 0 to 4294967295";
  if (listener.ids.size() != listener.channels.size())
    return "a subscription in it lacks id or channelId";
  for (std::size_t i = 0; i < listener.ids.size(); ++i)
    out.subscriptions.push_back({listener.ids[i], listener.channels[i]});
  return {};
}

}  // namespace knuckleboom::app
