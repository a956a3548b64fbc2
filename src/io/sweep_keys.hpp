// Keys of plans of sweeps.
#pragma once

#include "declare/body_keys.hpp"
#include "knuckleboom/declare/key.hpp"
#include "knuckleboom/io/sweep_plan.hpp"

namespace knuckleboom::declare::keys {

namespace sweep_vary {
using io::SweepSpread;
using io::SweepVariable;
inline constexpr std::size_t kMostValues = 100'000;
inline constexpr Word kSpreads[] = {
    word("uniform", SweepSpread::kUniform, "between `low` and `high`"),
    word("normal", SweepSpread::kNormal, "`mean` and `sd`; `low` and `high` cut it off"),
    word("lognormal", SweepSpread::kLognormal,
         "its logarithm is normal: `median` and `sd_log`; `low` and `high` cut it off"),
    word("triangular", SweepSpread::kTriangular, "from `low` over `mode` to `high`")};
inline constexpr Key key = text("key",
                                "what varies: a key as after `--set`, or one of `scenario`, "
                                "`exercise`, `levers`, `input`, `machine`, `fidelity`, `fault`")
                               .must()
                               .to<&SweepVariable::key>();
inline constexpr Key column =
    name_of("name", "of its column").to<&SweepVariable::name>().otherwise("the key");
inline constexpr Key values =
    other("values",
          "a list of numbers or texts; each is as likely as the others where runs are "
          "drawn");
inline constexpr Key distribution =
    word_of("distribution", kSpreads, "of a number that is drawn").to<&SweepVariable::spread>();
inline constexpr Key low =
    plain("low", kAny, "the least value").to<&SweepVariable::low>().otherwise("open");
inline constexpr Key high =
    plain("high", kAny, "the largest value").to<&SweepVariable::high>().otherwise("open");
inline constexpr Key mean = plain("mean", kAny, "").to<&SweepVariable::mean>();
inline constexpr Key sd = plain("sd", kPositive, "standard deviation before it is cut off")
                              .to<&SweepVariable::sd>()
                              .otherwise("none");
inline constexpr Key median =
    plain("median", kPositive, "").to<&SweepVariable::median>().otherwise("none");
inline constexpr Key sd_log = plain("sd_log", {0.0, 10.0, true},
                                    "standard deviation of the natural logarithm: 0.1 is about "
                                    "10 %")
                                  .to<&SweepVariable::sd_log>()
                                  .otherwise("none");
inline constexpr Key mode =
    plain("mode", kAny, "the likeliest value").to<&SweepVariable::mode>().otherwise("none");
inline constexpr Key steps =
    whole("steps", 2, 100'000, "of a grid, in place of `values`: so many from `low` to `high`")
        .to<&SweepVariable::steps>()
        .otherwise("none");
inline constexpr Key all[] = {
    key,
    column,
    flag("factor", "`true`: it multiplies what the file says, as `--set KEY*=FACTOR`")
        .to<&SweepVariable::factor>(),
    values,
    distribution,
    low,
    high,
    mean,
    sd,
    median,
    sd_log,
    mode,
    steps};
inline constexpr KeyTable table{"sweep.vary", "[[vary]]", all};
}  // namespace sweep_vary

namespace sweep_result {
using io::SweepResult;
using io::SweepTake;
inline constexpr Word kTakes[] = {word("final", SweepTake::kFinal, "value at the end"),
                                  word("min", SweepTake::kMin, "least value"),
                                  word("max", SweepTake::kMax, "largest value"),
                                  word("mean", SweepTake::kMean, ""),
                                  word("rms", SweepTake::kRms, "root of the mean square"),
                                  word("at", SweepTake::kAt, "value at the time `at`")};
inline constexpr Key channel =
    text("channel",
         "a channel of a [trace](trace_file.md), or of a "
         "[session](session_file.md#channels) with an exercise: `score_time_s`")
        .must()
        .to<&SweepResult::channel>();
inline constexpr Key take =
    word_of("take", kTakes, "what is kept of it").must().selecting().to<&SweepResult::take>();
inline constexpr Key time = number("at", D::kTime, kNonNegative, "time of the run")
                                .just("at")
                                .must_with("at")
                                .to<&SweepResult::at_s>();
inline constexpr std::string_view kOverTime = "min max mean rms";
inline constexpr Key from = number("from", D::kTime, kNonNegative, "looked at from this time on")
                                .just(kOverTime)
                                .to<&SweepResult::from_s>();
inline constexpr Key to = number("to", D::kTime, kNonNegative, "until then")
                              .just(kOverTime)
                              .to<&SweepResult::to_s>()
                              .otherwise("the end");
inline constexpr Key all[] = {
    channel,
    text("minus", "another channel that is taken off it, such as the reference of a joint")
        .to<&SweepResult::minus>(),
    flag("absolute", "`true`: without its sign").to<&SweepResult::absolute>(),
    take,
    time,
    from,
    to,
    name_of("name", "of its column")
        .to<&SweepResult::name>()
        .otherwise("channel and `take`: `stick_rad_rms`"),
};
inline constexpr KeyTable table{"sweep.result", "[[result]]", all};
}  // namespace sweep_result

namespace sweep_parameter {
using io::SweepParameter;
inline constexpr Key low = plain("low", kAny, "").must().to<&SweepParameter::low>();
inline constexpr Key high = plain("high", kAny, "").must().to<&SweepParameter::high>();
inline constexpr Key start = plain("start", kAny, "where the search begins")
                                 .to<&SweepParameter::start>()
                                 .otherwise("the middle");
inline constexpr Key all[] = {
    text("key", "a key as after `--set`").must().to<&SweepParameter::key>(),
    name_of("name", "of its column").to<&SweepParameter::name>().otherwise("the key"),
    flag("factor", "`true`: it multiplies what the file says").to<&SweepParameter::factor>(),
    low,
    high,
    start,
};
inline constexpr KeyTable table{"sweep.parameter", "[[tune.parameter]]", all};
}  // namespace sweep_parameter

namespace sweep_tune {
using io::SweepMethod;
using io::SweepOver;
using io::SweepTuning;
inline constexpr Word kOvers[] = {word("mean", SweepOver::kMean, "of the runs"),
                                  word("max", SweepOver::kMax, "the worst run counts"),
                                  word("rms", SweepOver::kRms, "root of the mean square")};
inline constexpr Word kMethods[] = {
    word("bobyqa", SweepMethod::kBobyqa, "quadratic models; for smooth objectives"),
    word("cobyla", SweepMethod::kCobyla, "linear models"),
    word("simplex", SweepMethod::kSimplex, "Nelder and Mead's; for objectives with edges"),
    word("direct", SweepMethod::kDirect,
         "divides the whole range; finds the best of several "
         "hollows, with many evaluations")};
inline constexpr Key objective = text("objective", "name of the result that is to become small")
                                     .must()
                                     .to<&SweepTuning::objective>();
inline constexpr Key parameters =
    tables("parameter", sweep_parameter::table, 20, "what may be changed; at least one").must();
inline constexpr Key all[] = {
    objective,
    word_of("over", kOvers, "how the runs become one number").to<&SweepTuning::over>(),
    flag("largest", "`true`: it is to become large instead").to<&SweepTuning::largest>(),
    word_of("method", kMethods, "of NLopt").to<&SweepTuning::method>(),
    whole("evaluations", 1, 1'000'000, "at most; each runs the whole plan")
        .to<&SweepTuning::evaluations>(),
    plain("tolerance", {0.0, 1.0, true},
          "ends where no parameter moves by more than this share of its range")
        .to<&SweepTuning::tolerance>(),
    parameters,
};
inline constexpr KeyTable table{"sweep.tune", "[tune]", all};
}  // namespace sweep_tune

namespace sweep_file {
using io::SweepDesign;
using io::SweepPlan;
inline constexpr Word kDesigns[] = {
    word("grid", SweepDesign::kGrid, "every value with every other"),
    word("list", SweepDesign::kList,
         "the first values of all variables, then the second ones, and so on"),
    word("latin_hypercube", SweepDesign::kLatinHypercube,
         "drawn, each variable once from each of `runs` parts of its range that are alike likely"),
    word("monte_carlo", SweepDesign::kMonteCarlo, "drawn"),
    word("morris", SweepDesign::kMorris, "elementary effects along `trajectories`"),
    word("sobol", SweepDesign::kSobol, "shares of the variance, from `base` rows")};
inline constexpr int kMostRuns = 10'000'000;
inline constexpr Key scenario =
    text("scenario", "a [scenario](scenario_file.md): a name, or a file relative to the plan")
        .to<&SweepPlan::scenario>();
inline constexpr Key exercise =
    text("exercise", "in place of a scenario: an [exercise](exercise_file.md), driven by `input`")
        .to<&SweepPlan::exercise>();
inline constexpr Key levers = text("levers", "of an exercise, in place of its own")
                                  .to<&SweepPlan::levers>()
                                  .otherwise("the exercise's own");
inline constexpr Key input =
    text("input", "of an exercise: an [input file](input_file.md) that moves the levers")
        .to<&SweepPlan::input>()
        .otherwise("levers at rest");
inline constexpr Key machine = text("machine", "in place of the scenario's or exercise's own")
                                   .to<&SweepPlan::machine>()
                                   .otherwise("its own");
inline constexpr Key fidelity =
    text("fidelity",
         "`reduced`, `full` or `paper`, and for scenarios `converged-` with one of these")
        .to<&SweepPlan::fidelity>()
        .otherwise("`reduced`, or what the exercise says");
inline constexpr Key fault =
    text("fault",
         "`NAME@S`: a fault of the scenario or exercise, or a usual one of the machine "
         "(`knuckleboom list faults`), begins at this time; `none`: none")
        .to<&SweepPlan::fault>()
        .otherwise("none");
inline constexpr Key set = texts("set", 1000, "such as \"controller.stick.kp_V_per_rad=60\"");
inline constexpr Key design =
    word_of("design", kDesigns, "which runs there are").must().selecting().to<&SweepPlan::design>();
inline constexpr Key runs = whole("runs", 1, kMostRuns, "number of runs")
                                .just("latin_hypercube monte_carlo")
                                .must_with("latin_hypercube monte_carlo")
                                .to<&SweepPlan::runs>()
                                .otherwise("none");
inline constexpr Key trajectories =
    whole("trajectories", 2, kMostRuns, "each has a run more than there are variables")
        .just("morris")
        .must_with("morris")
        .to<&SweepPlan::trajectories>()
        .otherwise("none");
inline constexpr Key base =
    whole("base", 2, kMostRuns, "each row makes two runs more than there are variables")
        .just("sobol")
        .must_with("sobol")
        .to<&SweepPlan::base>()
        .otherwise("none");
inline constexpr Key seed =
    whole("seed", 0, 2'000'000'000, "of what is drawn: another draw").to<&SweepPlan::seed>();
inline constexpr Key duration = number("duration", D::kTime, kPositive, "of an exercise")
                                    .to<&SweepPlan::duration_s>()
                                    .otherwise("to the end of the input");
inline constexpr Key variables =
    tables("vary", sweep_vary::table, 100, "what differs from run to run").must();
inline constexpr Key results =
    tables("result", sweep_result::table, 200, "what is kept of each run").must();
inline constexpr Key tune = table("tune", sweep_tune::table, "for `--tune`");
inline constexpr Key all[] = {
    text("description", "for people").to<&SweepPlan::description>(),
    scenario,
    exercise,
    levers,
    input,
    duration,
    machine,
    fidelity,
    fault,
    set,
    design,
    runs,
    trajectories,
    base,
    seed,
    number("sample", D::kTime, kPositive,
           "time between two looks at the channels, in whole ticks; `min`, `max`, `mean` and `rms` "
           "are of these looks")
        .to<&SweepPlan::sample_s>(),
    variables,
    results,
    tune,
};
inline constexpr KeyTable table{"sweep", "", all};
}  // namespace sweep_file

}  // namespace knuckleboom::declare::keys
