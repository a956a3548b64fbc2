#include "knuckleboom/io/released_layouts.hpp"

#include <string>

#include <xxhash.h>

namespace knuckleboom::io {
namespace {

// The states of format 6 in memory, as describe() gave them; the programs that wrote them wrote these bytes.
constexpr std::string_view kFormat6 =
    R"(multibody::LinkInertia mass f8,mc f8[3],I f8[6]
hydraulics::CircuitFault compliance f8,leak_internal f8,leak_external f8[2],relief_Pa f8
machine::ActuatorState P_C f8[2],Q f8[2],p f8[2],C f8[2],command_V f8,spool_V f8,x_hold f8,F_hold f8,P_hold f8[2],bristle f8,fault hydraulics::CircuitFault,P_compensated f8,load_check f8,holding f8[2],open i4,relief_active i4,cavitation_active i4,stop_active i4,held_dynamic i4,hand_over i4,faulty i4,spool_stuck i4
hydraulics::SupplyState stroke f8,load_Pa f8,engine_speed f8,engine_torque f8,angle f8,owed f8,flow f8,relief_flow f8,set_Pa f8,wear f8,drop_Pa f8,relief_Pa f8
machine::EnergyLedger pump f8,valve f8,line f8,relief f8,leakage f8,friction f8,stops f8,switching f8,model f8,events f8,external f8,start f8
hydraulics::SupplyLedger engine f8,delivered f8,pump_loss f8,relief f8,compensator f8,coupling f8,start f8
machine::Health ticks i8,valve_switches i8,relief_events i8,cavitation_events i8,stop_hits i8,relief_ticks i8,cavitation_ticks i8,newton_iterations i8,newton_unconverged i8,non_finite i8,first_non_finite i8,newton_worst i8,singular_ticks i8,first_singular i8,singular_loop i8,open_loop_ticks i8,friction_unsettled i8
machine::MachineState q f8[16],v f8[16],a f8[16],inertia multibody::LinkInertia[16],dependent i8,absent i8,loop_force_W f8[8][3],bristle f8[16],actuator machine::ActuatorState[8],pump_Pa f8,tank_Pa f8,supply hydraulics::SupplyState,energy machine::EnergyLedger,supply_energy hydraulics::SupplyLedger,health machine::Health
control::PidState integral f8,derivative f8,last_reference f8,last_position f8,output_V f8,primed i4,reserved i4
control::PidGains Kp f8,Ki f8,Kd f8,derivative_filter_s f8,feed_forward f8,overlap_compensation_V f8,compensation_width_V f8,output_limit_V f8,tracking_time_s f8,anti_windup i4,period_ticks i4
sim::Drive value f8,mode i4,hold_sum i4,feed_forward_V f8
sim::JointCommand value f8,mode i8
sim::TickInput drive sim::Drive[8],joint sim::JointCommand[16]
sim::Payload inertia multibody::LinkInertia,link i4,event i4=-1
sim::FaultState share f8[96],on i4[96],measured f8[16],breakout_V f8[8],offset_V f8[8],controller_off i4[8],lever_delay_s f8,pump_set_Pa f8,pump_flow f8,active i4,next_in_plan i4
sim::SimState tick i8,fidelity i4,next_event i4,machine machine::MachineState,pid control::PidState[8],gains control::PidGains[8],input sim::TickInput,reference f8[16],tip_joints f8[2][16],tip_unreachable i8,payload sim::Payload[8],override_drive sim::Drive[8],overridden i4[8],fault sim::FaultState
emulation::Tuning acceleration_scheme f8,bandwidth_Hz f8,damping f8,position_bandwidth_Hz f8,position_damping f8,torque_bandwidth_Hz f8,prediction f8,prediction_filter_s f8,observer_Hz f8,friction_share f8,accommodation_translation f8,accommodation_rotation f8,accommodation_filter_Hz f8,operator_acceleration f8,site_stiffness f8,site_relaxation_s f8,site_friction f8,sensor_delay f8,sensor_force_noise f8,sensor_moment_noise f8
emulation::EmulationSensors stop_line f8,operator_twist f8[6],wrench f8[6],q f8[16],v f8[16],emulated_q f8[16],p f8[16][2]
emulation::EmulationCommands motor_rate f8[16],drive f8[16],brake f8
emulation::TipShift offset f8[3],turn f8[3][3]
emulation::ContactState bristle f8[10][3],normal f8[10],touching i8
emulation::ForceSensorState ring f8[64][6],samples i8
emulation::JointSample q f8[6],v f8[6],torque f8[6],held f8
emulation::ForceObserverState last emulation::JointSample,ring f8[64][6],bristle f8[6],by_law f8[6],unknown f8[6],friction f8[6],samples i8
emulation::TipPose p f8[3],R f8[3][3],twist f8[6]
emulation::EmulationEnergy host f8,emulated f8,exchanged f8,generated f8
emulation::EmulationHealth host_singular i8,emulated_singular i8,valve_full i8,non_finite i8
emulation::EmulationState tick i8,phase i8,phase_tick i8,tuning emulation::Tuning,sensed emulation::EmulationSensors,commands emulation::EmulationCommands,shift emulation::TipShift,host sim::SimState,emulated sim::SimState,contact emulation::ContactState,sensor emulation::ForceSensorState,observer emulation::ForceObserverState,contact_W f8[6],measured_W f8[6],known_W f8[6],slope_W f8[6],felt_W f8[6],accommodated_W f8[6],operator_twist f8[6],tip_command f8[6],motor f8[16],motor_rate f8[16],target emulation::TipPose,tip emulation::TipPose,tip_acceleration f8[6],host_torque f8[16],host_acceleration f8[16],brake_ticks i8,braked i8,brake_q f8[16],energy emulation::EmulationEnergy,health emulation::EmulationHealth
exchange::Received value f8,age i8,refused i8,limited i8,times_stale i8
exchange::SignalState output f8,held f8,gap f8,before f8,blend_ticks i8,blend_tick i8,rate_limited i8,source i4,stale i4,waiting i4,before_known i4,received exchange::Received[2]
exchange::ExchangeState signal exchange::SignalState[32]
emulation::LoopState emulation emulation::EmulationState,exchange exchange::ExchangeState,tick i8,mode i4,reason i4,reason_tick i8,reason_index i8,reason_value f8,runs i8,holds i8,stops i8
)";

}  // namespace

StateDescription released_layout(std::string_view type) { return StateDescription(kFormat6, type); }

std::optional<std::uint64_t> hash_of_bytes(const StateDescription& record,
                                           const state::Struct& type, const void* state) {
  std::string bytes(record.record_bytes(), '\0');
  if (!convert(type, state, record.type(), bytes.data()).empty()) return std::nullopt;
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace knuckleboom::io
