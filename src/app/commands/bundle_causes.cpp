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
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kExplains = 0.8;         // share of the deviation
constexpr std::size_t kMostTried = 64;    // keys, each a run
constexpr std::size_t kMostPaired = 6;    // of those that explain most
constexpr std::size_t kMostLetters = 60;  // of a value

// A run with some keys put back.
struct Result {
  std::optional<double> apart;  // nothing: it did not run to its end
  double explains = 0.0;        // share of the deviation that is gone
  std::string why_not;          // the keys cannot be put back alone
};

struct Tried {
  const io::KeyChange* change;
  Result result;
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
      const double apart = apart_(*run);
      return {apart, share(apart), {}};
    } catch (const std::exception& error) {
      return {std::nullopt, 0.0, error.what()};
    }
  }

 private:
  double share(double apart) const {
    if (!std::isfinite(now_)) return std::isfinite(apart) ? 1.0 : 0.0;
    return std::isfinite(apart) ? 1.0 - apart / now_ : 0.0;
  }

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

std::string explanation(const Result& alone) {
  if (!alone.why_not.empty()) return "cannot be put back alone: " + alone.why_not;
  if (alone.explains < 0.005) return "explains nothing of it";
  return fmt::format("alone explains {:.0f} % of it", 100.0 * alone.explains);
}

std::string program_sentence(const std::string& then) {
  const std::string now = io::this_program();
  if (then == now)
    return "the program is the same: its libraries, the compiler or the processor differ, or the "
           "reference was edited";
  return fmt::format("the program has changed, from {} to {}", then, now);
}

// The pair that explains most, if no key does alone. tried: by what they explain.
std::string best_pair(const Search& search, std::vector<Tried> tried) {
  std::erase_if(tried, [](const Tried& one) { return !one.result.why_not.empty(); });
  tried.resize(std::min(tried.size(), kMostPaired));
  double most = 0.0;
  std::string names;
  for (std::size_t i = 0; i < tried.size(); ++i)
    for (std::size_t k = i + 1; k < tried.size() && !interrupted(); ++k) {
      const Result pair = search.without({tried[i].change, tried[k].change});
      if (!pair.apart || pair.explains <= most) continue;
      most = pair.explains;
      names = fmt::format("{} and {}", tried[i].change->key, tried[k].change->key);
    }
  if (names.empty()) return {};
  return fmt::format("  no key alone explains {:.0f} %; {} together explain {:.0f} %\n",
                     100.0 * kExplains, names, 100.0 * most);
}

// With all that has changed put back: whether that is all.
std::string rest(const Result& back, std::size_t changes, const std::string& program) {
  if (!back.apart)
    return back.why_not.empty() ? ""
                                : fmt::format("  they cannot all be put back: {}\n", back.why_not);
  const char* them = changes == 1 ? "it" : "all of them";
  if (*back.apart <= 0.0) return fmt::format("  with {} put back the bundle passes\n", them);
  return fmt::format("  with {} put back it still fails: they explain {:.0f} %; {}\n", them,
                     100.0 * std::max(back.explains, 0.0), program_sentence(program));
}

}  // namespace

std::filesystem::path keys_file(const io::Bundle& bundle) { return bundle.folder / "keys.txt"; }

void write_keys(const io::Bundle& bundle, const std::string& program,
                const std::vector<io::ContentKey>& keys) {
  io::write_file(keys_file(bundle), io::content_keys_text(program, keys));
}

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
  const Search search(bundle, change, apart, apart(run));
  std::vector<Tried> tried;
  std::vector<const io::KeyChange*> all;
  for (const io::KeyChange& one : changes) {
    all.push_back(&one);
    if (tried.size() < kMostTried && !interrupted())
      tried.push_back({&one, search.without({&one})});
  }
  std::stable_sort(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) {
    return a.result.explains > b.result.explains;
  });
  std::string text =
      fmt::format("  {} changed since the reference was made:\n",
                  counted(static_cast<long long>(changes.size()), "key has", "keys have"));
  for (const Tried& one : tried)
    text += fmt::format("    {}: {}; {}{}\n", one.change->key, cut(one.change->in_words()),
                        explanation(one.result), place_of(*one.change));
  if (tried.size() < changes.size())
    text += fmt::format("    and {} more, which were not tried one by one\n",
                        changes.size() - tried.size());
  if (interrupted()) return text;
  if (changes.size() > 2 && (tried.empty() || tried.front().result.explains < kExplains))
    text += best_pair(search, tried);
  return text + rest(changes.size() == 1 ? tried.front().result : search.without(all),
                     changes.size(), then.program);
}

}  // namespace knuckleboom::app
