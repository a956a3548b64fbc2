// Numbers for an operator: few digits, fixed width where they change constantly.
#pragma once

#include <string>

namespace knuckleboom::view::panels {

// "0:07.4", "12:05.0"; below zero "-"; not a number "-".
std::string clock_text(double seconds);
// "182"; Pa -> bar, whole ones. Never "-0".
std::string bar_text(double pascal);
// "42 l/min"
std::string flow_text(double m3_per_s);
// "-34.2°" for revolute joints, "1.24 m" for others.
std::string joint_text(double position, bool revolute);
// "4.25 m"
std::string metres_text(double metres);
// "23 µs", "1.4 ms", "0.8 s"
std::string microseconds_text(double microseconds);
// "12.3 kW"
std::string power_text(double watts);
// Position of a value between two ends, 0 to 1; 0 for NaN or an empty range.
float share(double value, double lower, double upper);

}  // namespace knuckleboom::view::panels
