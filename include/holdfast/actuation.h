// Actuators, tendons, passive forces and signals of a model, usable without a sim.
//
// An hfActuation is scratch and results for one thread: call the stages in order, read the arrays.
//
//   hf_actuation_update(a, dynamics, q)     lengths, velocities and moments of tendons and actuators
//   hf_actuation_forces(a, act, ctrl, h)    actuator forces at this state
//   hf_actuation_passive(a, dynamics, q, t) springs, dampers, gravity compensation
//   hf_actuation_advance(a, act, h)         activations one step later
#ifndef HOLDFAST_ACTUATION_H
#define HOLDFAST_ACTUATION_H

#include <holdfast/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfActuation hfActuation;

// The model (or an overlay's model) must outlive the actuation.
HF_API hfStatus hf_actuation_create(hfActuation** actuation, const hfModel* model, hfError* error);
HF_API void hf_actuation_free(hfActuation* actuation);

// Needs hf_dynamics_set_position and hf_dynamics_set_velocity at q.
HF_API void hf_actuation_update(hfActuation* a, const hfDynamics* dynamics, const double* q);
// force = clamp(gain input + bias), input the clamped control or the activation; h is the step of
// actuators that act on the activation of its end (actearly). act (na) and ctrl (nu) may be NULL: zero.
HF_API void hf_actuation_forces(hfActuation* a, const double* act, const double* ctrl, double h);
// tau (nv) = forces of joint and tendon springs and dampers, and of gravity compensation that does not count as actuation.
HF_API void hf_actuation_passive(const hfActuation* a, const hfDynamics* dynamics, const double* q, double* tau);
// act (na) <- activations a step h later, for the controls of the last hf_actuation_forces.
HF_API void hf_actuation_advance(const hfActuation* a, double* act, double h);

// Results. Valid until the stage that made them runs again.
HF_API const double* hf_actuation_length(const hfActuation* a);          // (nu) [m or rad]
HF_API const double* hf_actuation_velocity(const hfActuation* a);        // (nu) [m/s or rad/s]
HF_API const double* hf_actuation_force(const hfActuation* a);           // (nu) [N or N m]
HF_API const double* hf_actuation_joint_force(const hfActuation* a);     // (nv) all actuators on each dof [N or N m]
HF_API const double* hf_actuation_rate(const hfActuation* a);            // (na) rates of activations [1/s]
HF_API const double* hf_actuation_tendon_length(const hfActuation* a);   // (ntendon)
HF_API const double* hf_actuation_tendon_velocity(const hfActuation* a); // (ntendon)
HF_API void hf_actuation_tendon_moment(const hfActuation* a, int tendon, double* row); // (nv) d tendon velocity/d v
HF_API void hf_actuation_moment(const hfActuation* a, int actuator, double* row); // (nv) d velocity/d v

// Value of signal `signal` of the scene at a time.
//   constant  y                        sine   offset + amplitude sin(2 pi f t + phase)
//   ramp      y0 until t0, y1 from t1, linear between
//   chirp     offset + amplitude sin(phase(t)), frequency from f0 to f1 over the duration, then f1
//   table     linear between its rows, the first value before and the last after them
//   feedback  y of its rows, as of a table
HF_API double hf_signal_value(const hfModel* model, int signal, double time);
// The first and second derivative of a signal; at a corner of a ramp or table, those after the corner.
HF_API void hf_signal_rates(const hfModel* model, int signal, double time, double rate[2]);
// Writes ctrl[i] for every actuator that a signal of time drives. The others, also those with feedback, stay as they are.
HF_API void hf_signal_controls(const hfModel* model, double time, double* ctrl);
// ctrl[i] = y(t) + sum over its joints of kp(t) (q_d(t) - q) + kd(t) (v_d(t) - v) for every actuator with a signal of feedback; the others stay as they are. A
// step takes the controls of its start and holds them.
HF_API void hf_signal_feedback(const hfModel* model, double time, const double* q, const double* v, double* ctrl);

// A table of controls over time, each row held until the next. Before the first row its actuators
// stay as they are.
typedef struct hfControlTable hfControlTable;
// From a CSV file whose first line is `time` and names of actuators, #ID for one without a name; times must increase. A log of states (record.h),
// whose controls are called u[NAME], is played back: each of its rows acts until its time, the first one from the start, the last one also after its
// time.
HF_API hfStatus hf_control_table_read(hfControlTable** table, const hfModel* model, const char* path, hfError* error);
HF_API hfStatus hf_control_table_parse(hfControlTable** table, const hfModel* model, const char* text, const char* name, hfError* error);
HF_API void hf_control_table_free(hfControlTable* table);
// Writes ctrl[i] for every actuator that the table names. The others stay as they are.
HF_API void hf_control_table_controls(const hfControlTable* table, double time, double* ctrl);

#ifdef __cplusplus
}
#endif
#endif
