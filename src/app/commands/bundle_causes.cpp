#include "app/commands/bundle_causes.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kExplains = 0.8;         // share of the deviation
constexpr std::size_t kMostTried = 64;    // keys, each a run
constexpr std::size_t kMostPaired = 6;    // of those that explain most
constexpr std::size_t kMostLetters = 60;  // of a value

struct Tried {
  const io::KeyChange* change;
  double explains = 0.0;  // share of the deviation that is gone with the key put back
  std::string why_not;    // it cannot be put back alone
};

struct Result {
  std::optional<double> apart;
  std::string why_not;
};

class Search {
 public:
  Search(const io::Bundle& bundle, const BundleChange& change, const Apart& apart, double now)
      : bundle_(bundle), change_(change), apart_(apart), now_(now) {}

  Result without(const std::vector<const io::KeyChange*>& changes) const {
    BundleChange back = change_;
    for (const io::KeyChange* change : changes)
      back.assignments.insert(back.assignments.end(), change->put_back.begin(),
                              change->put_back.end());
    try {
      const std::optional<BundleRun> run = run_bundle(bundle_, back);
      if (!run) return {};
      return {apart_(*run), {}};
    } catch (const std::exception& error) {
      return {std::nullopt, error.what()};
    }
  }
  double share(double apart) const {
    if (!std::isfinite(now_)) return std::isfinite(apart) ? 1.0 : 0.0;
    return std::isfinite(apart) ? 1.0 - apart / now_ : 0.0;
  }

 private:
  const io::Bundle& bundle_;
  const BundleChange& change_;
  const Apart& apart_;
  double now_;
};

std::string cut(const std::string& text) {
  return text.size() <= kMostLetters ? text : text.substr(0, kMostLetters - 3) + "...";
}

std::string place_of(const io::KeyChange& change) {
  if (change.file.empty()) return {};
  if (change.line == 0) return ", as --set or the bundle's 'set' says";
  return fmt::format(", {}:{}", change.file, change.line);
}

std::string explanation(const Tried& tried) {
  if (!tried.why_not.empty()) return "cannot be put back alone: " + tried.why_not;
  if (tried.explains < 0.005) return "explains nothing of it";
  return fmt::format("alone explains {:.0f} % of it", 100.0 * tried.explains);
}

std::string program_sentence(const std::string& then) {
  const std::string now = io::this_program();
  if (then == now)
    return "the program is the same: its libraries, the compiler or the processor differ, or the "
           "reference was edited";
  return fmt::format("the program has changed, from {} to {}", then, now);
}

// The pair that explains most, if no key does alone.
std::string best_pair(const Search& search, std::vector<Tried> tried) {
  std::erase_if(tried, [](const Tried& one) { return !one.why_not.empty(); });
  tried.resize(std::min(tried.size(), kMostPaired));
  double most = 0.0;
  std::string names;
  for (std::size_t i = 0; i < tried.size(); ++i)
    for (std::size_t k = i + 1; k < tried.size() && !interrupted(); ++k) {
      const Result result = search.without({tried[i].change, tried[k].change});
      if (!result.apart || search.share(*result.apart) <= most) continue;
      most = search.share(*result.apart);
      names = fmt::format("{} and {}", tried[i].change->key, tried[k].change->key);
    }
  if (names.empty()) return {};
  return fmt::format("  no key alone explains {:.0f} %; {} together explain {:.0f} %\n",
                     100.0 * kExplains, names, 100.0 * most);
}

}  // namespace

std::filesystem::path keys_file(const io::Bundle& bundle) { return bundle.folder / "keys.txt"; }

std::string causes(const io::Bundle& bundle, const BundleChange& change, const BundleRun& run,
                   const Apart& apart) {
  std::error_code ignored;
  if (!std::filesystem::exists(keys_file(bundle), ignored)) return {};
  const io::ContentKeys then = io::read_content_keys(keys_file(bundle));
  const std::vector<io::KeyChange> changes =
      io::changed_keys(then.keys, bundle_keys(bundle, change, run.files));
  if (changes.empty())
    return fmt::format("  no key of its files has changed since the reference was made; {}\n",
                       program_sentence(then.program));
  const double now = apart(run);
  const Search search(bundle, change, apart, now);
  std::vector<Tried> tried;
  std::vector<const io::KeyChange*> all;
  for (const io::KeyChange& one : changes) {
    all.push_back(&one);
    if (tried.size() == kMostTried || interrupted()) continue;
    const Result result = search.without({&one});
    tried.push_back({&one, result.apart ? search.share(*result.apart) : 0.0, result.why_not});
  }
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Tried& a, const Tried& b) { return a.explains > b.explains; });
  std::string text =
      fmt::format("  {} changed since the reference was made:\n",
                  counted(static_cast<long long>(changes.size()), "key has", "keys have"));
  for (const Tried& one : tried)
    text += fmt::format("    {}: {}; {}{}\n", one.change->key, cut(one.change->in_words()),
                        explanation(one), place_of(*one.change));
  if (tried.size() < changes.size())
    text += fmt::format("    and {} more, which were not tried one by one\n",
                        changes.size() - tried.size());
  if (interrupted()) return text;
  if (changes.size() > 2 && (tried.empty() || tried.front().explains < kExplains))
    text += best_pair(search, tried);
  const Result back = search.without(all);
  if (!back.apart)
    text += back.why_not.empty() ? ""
                                 : fmt::format("  they cannot all be put back: {}\n", back.why_not);
  else if (*back.apart <= 0.0)
    text += changes.size() == 1 ? "  with it put back the bundle passes\n"
                                : "  with all of them put back the bundle passes\n";
  else
    text += fmt::format("  with {} put back it still fails: they explain {:.0f} %; {}\n",
                        changes.size() == 1 ? "it" : "all of them",
                        100.0 * std::max(search.share(*back.apart), 0.0),
                        program_sentence(then.program));
  return text;
}

}  // namespace knuckleboom::app
