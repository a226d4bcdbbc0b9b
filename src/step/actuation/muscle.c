// Muscles: a filter that rises and falls at different speeds, and forces by curves of length and velocity.
//
//   force = -F_0 (F_L(L) F_V(V) act + F_P(L)),   L = (l - L_T)/L_0,   V = ldot/(L_0 vmax)
//
// The passive part F_0 F_P(L) has an L_T, L_0, F_0, lmax and fpmax of its own (actuator_passive), which for most
// muscles are the same.
//
//   F_L  parabolas from 0 at lmin over 1 at L = 1 to 0 at lmax, which meet halfway at 1/2
//   F_V  0 below V = -1, (V + 1)^2 up to 0, then fvmax - (y - V)^2/y up to y = fvmax - 1, then fvmax
//   F_P  0 up to L = 1, fpmax x^2/2 up to b = (1 + lmax)/2, then fpmax (1/2 + x), x = (L - 1)/(b - 1), (L - b)/(b - 1)
//
//   rate = (u - act)/tau,  tau_up = t_up (1/2 + 3/2 a),  tau_down = t_down/(1/2 + 3/2 a),  a = act within [0, 1]
//
// tau is one of the two by the sign of u - act, or between them over a width w by the curve 6 x^5 - 15 x^4 + 10 x^3.
// Over a step the force is linear about the length and velocity at its start.
#include "step/actuation/inside.h"

// The numbers of a muscle in actuator_muscle, and of its passive part in actuator_passive: tendon length L_T, resting
// length L_0, peak force F_0, and parameters of the curves.
enum { MUSCLE_TENDON, MUSCLE_LENGTH, MUSCLE_FORCE, MUSCLE_LMIN, MUSCLE_LMAX, MUSCLE_VMAX, MUSCLE_FPMAX, MUSCLE_FVMAX };
enum { PASSIVE_TENDON, PASSIVE_LENGTH, PASSIVE_FORCE, PASSIVE_LMAX, PASSIVE_FPMAX };
enum { MUSCLE_SIZE = MUSCLE_FVMAX + 1, PASSIVE_SIZE = PASSIVE_FPMAX + 1 };

// Value and slope of a curve.
typedef struct Curve { double value, slope; } Curve;

// Returns a parabola x^2/2 with x = (L - zero)/width, or 1 - x^2/2 if it opens down.
static Curve evaluate_parabola(double L, double zero, double width, int opens_down) {
  double x = (L - zero) / width;
  Curve up = {0.5 * x * x, x / width};
  return opens_down ? (Curve){1 - up.value, -up.slope} : up;
}

// Returns F_L at the length L.
static Curve evaluate_active_length(double L, double lmin, double lmax) {
  double a = 0.5 * (lmin + 1);
  double b = 0.5 * (1 + lmax);
  if (L <= lmin || L >= lmax) return (Curve){0, 0};
  if (L <= a) return evaluate_parabola(L, lmin, a - lmin, 0);
  if (L <= 1) return evaluate_parabola(L, 1, 1 - a, 1);
  return L <= b ? evaluate_parabola(L, 1, b - 1, 1) : evaluate_parabola(L, lmax, lmax - b, 0);
}

// Returns F_V at the velocity V.
static Curve evaluate_active_velocity(double V, double fvmax) {
  double y = fvmax - 1;
  if (V <= -1) return (Curve){0, 0};
  if (V <= 0) return (Curve){sqr(V + 1), 2 * (V + 1)};
  if (V <= y) return (Curve){fvmax - sqr(y - V) / y, 2 * (y - V) / y};
  return (Curve){fvmax, 0};
}

// Returns F_P at the length L.
static Curve evaluate_passive_length(double L, double lmax, double fpmax) {
  double b = 0.5 * (1 + lmax);
  double w = b - 1;
  if (L <= 1) return (Curve){0, 0};
  Curve c = L <= b ? evaluate_parabola(L, 1, w, 0) : (Curve){0.5 + (L - b) / w, 1 / w};
  return (Curve){c.value * fpmax, c.slope * fpmax};
}

// Adds to *f the force of muscle i, linear about its present length and velocity. value, per_length and per_velocity
// are the pull, minus the force, and its slopes.
void hfi_add_muscle(const hfActuation* a, int i, hfiAffine* f) {
  const hfModel* m = a->model;
  double value = 0;
  double per_length = 0;
  double per_velocity = 0;

  // F_0 F_L F_V act
  if (hf_model_actuator_gaintype(m)[i] == HF_GAIN_MUSCLE) {
    const double* p = hf_model_actuator_muscle(m) + MUSCLE_SIZE * i;
    double act = a->input[i];
    double F0 = p[MUSCLE_FORCE];
    double L0 = p[MUSCLE_LENGTH];
    Curve FL = evaluate_active_length((a->length[i] - p[MUSCLE_TENDON]) / L0, p[MUSCLE_LMIN], p[MUSCLE_LMAX]);
    Curve FV = evaluate_active_velocity(a->velocity[i] / (L0 * p[MUSCLE_VMAX]), p[MUSCLE_FVMAX]);
    value += F0 * FL.value * FV.value * act;
    per_length += F0 * FL.slope * FV.value * act / L0;
    per_velocity += F0 * FL.value * FV.slope * act / (L0 * p[MUSCLE_VMAX]);
  }

  // F_0 F_P
  if (hf_model_actuator_biastype(m)[i] == HF_BIAS_MUSCLE) {
    const double* p = hf_model_actuator_passive(m) + PASSIVE_SIZE * i;
    double L = (a->length[i] - p[PASSIVE_TENDON]) / p[PASSIVE_LENGTH];
    Curve FP = evaluate_passive_length(L, p[PASSIVE_LMAX], p[PASSIVE_FPMAX]);
    value += p[PASSIVE_FORCE] * FP.value;
    per_length += p[PASSIVE_FORCE] * FP.slope / p[PASSIVE_LENGTH];
  }

  // the muscle pulls: its force is minus this value, linear about the present length and velocity
  f->length -= per_length;
  f->velocity -= per_velocity;
  f->constant -= value - per_length * a->length[i] - per_velocity * a->velocity[i];
}

// Returns d force/d activation of muscle i.
double hfi_muscle_gain(const hfActuation* a, int i) {
  const double* p = hf_model_actuator_muscle(a->model) + MUSCLE_SIZE * i;
  double L = (a->length[i] - p[MUSCLE_TENDON]) / p[MUSCLE_LENGTH];
  double V = a->velocity[i] / (p[MUSCLE_LENGTH] * p[MUSCLE_VMAX]);
  Curve FL = evaluate_active_length(L, p[MUSCLE_LMIN], p[MUSCLE_LMAX]);
  Curve FV = evaluate_active_velocity(V, p[MUSCLE_FVMAX]);
  return -p[MUSCLE_FORCE] * FL.value * FV.value;
}

// Returns the time constant of a muscle's activation for the control u. dynprm (3): t_up, t_down, w.
double hfi_muscle_time(const double* dynprm, double u, double act) {
  double speed = 0.5 + 1.5 * clamp(act, 0, 1);
  double up = dynprm[0] * speed;
  double down = dynprm[1] / speed;
  double width = dynprm[2];
  double rise = clamp(u, 0, 1) - act;
  if (!(width > 0)) return rise > 0 ? up : down;

  // between the two
  double x = clamp(rise / width + 0.5, 0, 1);
  return down + (up - down) * x * x * x * (10 + x * (6 * x - 15));
}
