#include "gains_table.hpp"

namespace knuckleboom::io {

control::PidGains read_gains(TableReader& reader, bool length) {
  control::PidGains gains;
  const auto pick = [&](Dimension angle, Dimension slide) { return length ? slide : angle; };
  const Dimension rate = pick(Dimension::kRateAngle, Dimension::kRateLength);
  gains.Kp = reader.required(
      "kp", pick(Dimension::kProportionalAngle, Dimension::kProportionalLength), kGain);
  gains.Ki =
      reader.quantity("ki", pick(Dimension::kIntegralAngle, Dimension::kIntegralLength), kGain)
          .value_or(gains.Ki);
  gains.Kd = reader.quantity("kd", rate, kGain).value_or(gains.Kd);
  gains.feed_forward = reader.quantity("feed_forward", rate, kGain).value_or(0.0);
  const auto read = [&](double& value, std::string_view stem, Dimension dimension, Range range) {
    if (const auto given = reader.quantity(stem, dimension, range)) value = *given;
  };
  read(gains.derivative_filter_s, "derivative_filter", Dimension::kTime, kPositive);
  read(gains.overlap_compensation_V, "overlap_compensation", Dimension::kVoltage, kNonNegative);
  read(gains.compensation_width_V, "compensation_width", Dimension::kVoltage, kPositive);
  gains.output_limit_V = reader.required("output_limit", Dimension::kVoltage, kPositive);
  read(gains.tracking_time_s, "tracking_time", Dimension::kTime, kPositive);
  gains.anti_windup =
      reader
          .choice<control::AntiWindup>(
              "anti_windup", {{"none", control::AntiWindup::kNone},
                              {"conditional", control::AntiWindup::kConditional},
                              {"back_calculation", control::AntiWindup::kBackCalculation}})
          .value_or(gains.anti_windup);
  gains.period_ticks = reader.integer("period_ticks", 1, 100000).value_or(gains.period_ticks);
  reader.done();
  return gains;
}

}  // namespace knuckleboom::io
