// Keys of signal files and of the trainer's settings.
#pragma once

#include "declare/body_keys.hpp"
#include "knuckleboom/declare/key.hpp"
#include "knuckleboom/io/signal_file.hpp"
#include "knuckleboom/io/trainer_settings.hpp"

namespace knuckleboom::declare::keys {

inline constexpr Range kWithinHour{0.0, 3600.0, true};  // s

namespace plant {
using io::PlantRule;
inline constexpr Key follows =
    text("follows", "a signal from the machine; without it the signal rests at its offset")
        .to<&PlantRule::follows>();
inline constexpr Key all[] = {
    follows,
    plain("gain", kAny, "").to<&PlantRule::gain>(),
    plain("offset", kAny, "").to<&PlantRule::offset>(),
    number("lag", D::kTime, {0.0, 3600.0}, "first order").to<&PlantRule::lag_s>(),
};
inline constexpr KeyTable table{"signals.plant", "plant", all};
}  // namespace plant

namespace can_place {
using io::CanPlace;
inline constexpr Word kTypes[] = {{"int16", 0}, {"int32", 1}};
inline constexpr Key start_byte =
    whole("start_byte", 0, 7, "in the frame").to<&CanPlace::start_byte>();
inline constexpr Key scale = plain("scale", kAny, "value of one count").to<&CanPlace::scale>();
inline constexpr Key all[] = {
    whole("id", 0, 0x7FF, "of the frame").must().to<&CanPlace::id>(),
    start_byte,
    word_of("type", kTypes, "").to<&CanPlace::wide>(),
    scale,
    plain("offset", kAny, "value of no counts").to<&CanPlace::offset>(),
};
inline constexpr KeyTable table{"signals.can", "can", all};
}  // namespace can_place

namespace signal {
using exchange::Handover;
using exchange::SafeState;
using exchange::SignalRule;
using exchange::Source;
using io::OutsideSignal;
inline constexpr Word kDirections[] = {{"in", 1, "to the machine"}, {"out", 0, "from it"}};
inline constexpr Word kSafeStates[] = {word("value", SafeState::kValue),
                                       word("hold", SafeState::kHold)};
inline constexpr Word kHandovers[] = {word("blend", Handover::kBlend),
                                      word("hold_until_near", Handover::kHoldUntilNear)};
inline constexpr Word kSources[] = {word("simulated", Source::kSimulated),
                                    word("log", Source::kLog), word("network", Source::kNetwork)};
inline constexpr Key name =
    text("name",
         "once in the file; letters, digits, `.`, `_` and `-`, such as `host.elbow.position`")
        .must()
        .to<&SignalRule::name>();
inline constexpr Key direction = word_of("direction", kDirections, "").must();
inline constexpr Key least =
    plain("least", kAny, "of the range of what comes from outside").to<&SignalRule::least>();
inline constexpr Key most =
    plain("most", kAny, "of that range; above `least`").to<&SignalRule::most>();
inline constexpr Key safe_value =
    plain("safe_value", kAny, "within the range").otherwise("0, or the range's end nearest to it");
inline constexpr Key near =
    plain("near", kPositive, "of `hold_until_near`").just("in").otherwise("2 % of the range");
inline constexpr Key plant =
    declare::table("plant", keys::plant::table, "what the peer answers with, below").just("in");
inline constexpr Key can = declare::table("can", can_place::table, "its place on a CAN bus");
inline constexpr Key all[] = {
    name,
    direction,
    least,
    most,
    word_of("safe_state", kSafeStates,
            "of `in` while it is silent; of `out` what an emulation sends last, and what the peer "
            "falls to")
        .to<&SignalRule::safe_state>(),
    safe_value,
    plain("most_rate", kPositive, "of the signal while it follows a source outside, per second")
        .just("in")
        .to<&SignalRule::most_rate>()
        .otherwise("no limit"),
    plain("safe_rate", kPositive, "towards the safe value, per second")
        .just("in")
        .to<&SignalRule::safe_rate>()
        .otherwise("at once"),
    number("stale", D::kTime, kWithinHour, "silence that counts; rounded up to whole ticks")
        .just("in")
        .to<&SignalRule::stale_s>(),
    word_of("handover", kHandovers, "").just("in").to<&SignalRule::handover>(),
    number("blend", D::kTime, {0.0, 3600.0}, "longer where `most_rate` asks for it")
        .just("in")
        .to<&SignalRule::blend_s>(),
    near,
    word_of("source", kSources, "at the start")
        .just("in")
        .to<&SignalRule::source>()
        .otherwise("`\"network\"`")
        .otherwise(static_cast<double>(Source::kNetwork)),
    plant,
    text("column", "of a log").to<&OutsideSignal::column>().otherwise("the signal's name"),
    can,
};
inline constexpr KeyTable table{"signals.signal", "[[signal]]", all};
}  // namespace signal

namespace signal_file {
using io::SignalFile;
inline constexpr Key can_guard =
    whole("can_guard", 0, 0x7FE,
          "id of the frames that make the machine's frames authentic; the other side's is the next")
        .otherwise("CAN without a key");
inline constexpr Key signals =
    tables("signal", signal::table, 2 * exchange::kMaxSignals, "at least one").must();
inline constexpr Key all[] = {
    text("udp", "address as above, seen from the machine").to<&SignalFile::udp>(),
    text("can", "CAN interface, such as `can0`").to<&SignalFile::can>(),
    can_guard,
    number("late", D::kTime, kWithinHour,
           "how much longer than the fastest a packet may have been on its way")
        .to<&SignalFile::late_s>(),
    signals,
};
inline constexpr KeyTable table{"signals", "", all};
}  // namespace signal_file

namespace settings_file {
using io::TrainerSettings;
inline constexpr Key all[] = {
    text("learner", "random id of who drove last").to<&TrainerSettings::learner>(),
    text("exercise", "").to<&TrainerSettings::exercise>(),
    text("machine", "").to<&TrainerSettings::machine>(),
    text("levers", "").to<&TrainerSettings::levers>(),
    text("control", "").to<&TrainerSettings::control>(),
    text("fidelity", "").to<&TrainerSettings::fidelity>(),
    text("quality", "").to<&TrainerSettings::quality>(),
    text("camera", "").to<&TrainerSettings::camera>(),
    text("instruments", "").to<&TrainerSettings::instruments>(),
    text("language", "en, fi, sv or de").to<&TrainerSettings::language>(),
    plain("volume", {0.0, 1.0}, "of the sound").to<&TrainerSettings::volume>(),
    flag("muted", "").to<&TrainerSettings::muted>(),
};
inline constexpr KeyTable table{"settings", "", all};
}  // namespace settings_file

}  // namespace knuckleboom::declare::keys
