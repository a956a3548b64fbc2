// How a learner has set the machine up: how hard the exercise is, how fast the crane, and each lever.
//
// They change the texts that a session is made from, and nothing else: the session keeps the changed texts,
// so it replays by itself, and its header the settings, so that who has the files can tell.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

// By name: of all functions, or "FUNCTION.setting". What is not there is as in the files.
using OperatorSettings = std::map<std::string, double>;

inline constexpr const char* kSettingsOption = "settings";  // of a session's header

// Settings of all functions. ease: `tolerance` of the exercise; the other two are factors of all joints and the tip but the
// steering, and of the rise and fall of all functions.
inline constexpr const char *kEase = "ease", *kCraneSpeed = "crane_speed", *kRamps = "ramps";
// Whom one sees beside oneself, as GhostKind; no part of the session's texts, but an aid of the attempt.
inline constexpr const char* kGhost = "ghost";
// 1: the coach speaks while the attempt runs; an aid, too.
inline constexpr const char* kCoach = "coach";
// Settings of one function, after its name: share of the travel, exponent, volts, factor.
inline constexpr const char *kDeadZoneOf = ".dead_zone", *kCurveOf = ".curve",
                            *kStartOf = ".start_V", *kLargestOf = ".largest";

// "swing", "tip_reach", in every language.
std::string setting_name(const command::LeverFunction& function, std::string_view setting = {});

// "crane_speed=0.7 swing.dead_zone=0.08", in the order of names, and back. Throws UserError with the allowed
// values for what it does not know.
std::string text_of(const OperatorSettings& settings);
OperatorSettings settings_of(const std::string& text);
// One of them. Throws UserError.
void check_setting(const std::string& name, double value);
// "crane speed 70 %, swing: dead zone 8 %"; empty: as in the files.
std::string in_words(const OperatorSettings& settings);

// Whether a valve is opened by it, which has a start command.
bool takes_start(const command::LeverFunction& function);
// A function of a layout with the settings of it.
command::LeverFunction with(const OperatorSettings& settings,
                            const command::LeverFunction& function);

// Into the texts of a session. Returns the settings that change anything there. Throws io::FileError if one of
// them cannot take its settings.
OperatorSettings apply_settings(const OperatorSettings& settings,
                                std::vector<io::SessionText>& texts);

}  // namespace knuckleboom::app
