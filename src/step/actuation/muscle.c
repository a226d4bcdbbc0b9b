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

// Value and slope of a curve.
typedef struct Curve { double value, slope; } Curve;

// A parabola x^2/2 with x = (L - zero)/width, or 1 - x^2/2 if it opens down.
static Curve parabola(double L, double zero, double width, int opens_down) {
  double x = (L - zero) / width;
  Curve up = {0.5 * x * x, x / width};
  return opens_down ? (Curve){1 - up.value, -up.slope} : up;
}

// F_L at the length L
static Curve active_length(double L, double lmin, double lmax) {
  double a = 0.5 * (lmin + 1);
  double b = 0.5 * (1 + lmax);
  if (L <= lmin || L >= lmax) return (Curve){0, 0};
  if (L <= a) return parabola(L, lmin, a - lmin, 0);
  if (L <= 1) return parabola(L, 1, 1 - a, 1);
  return L <= b ? parabola(L, 1, b - 1, 1) : parabola(L, lmax, lmax - b, 0);
}

// F_V at the velocity V
static Curve active_velocity(double V, double fvmax) {
  double y = fvmax - 1;
  if (V <= -1) return (Curve){0, 0};
  if (V <= 0) return (Curve){sqr(V + 1), 2 * (V + 1)};
  if (V <= y) return (Curve){fvmax - sqr(y - V) / y, 2 * (y - V) / y};
  return (Curve){fvmax, 0};
}

// F_P at the length L
static Curve passive_length(double L, double lmax, double fpmax) {
  double b = 0.5 * (1 + lmax);
  double w = b - 1;
  if (L <= 1) return (Curve){0 * fpmax, 0 * fpmax};
  Curve c = L <= b ? parabola(L, 1, w, 0) : (Curve){0.5 + (L - b) / w, 1 / w};
  return (Curve){c.value * fpmax, c.slope * fpmax};
}

void hfi_add_muscle(const hfActuation* a, int i, hfiAffine* f) {
  const hfModel* m = a->model;
  double value = 0;
  double per_length = 0;
  double per_velocity = 0;

  if (hf_model_actuator_gaintype(m)[i] == HF_GAIN_MUSCLE) {
    const double* p = hf_model_actuator_muscle(m) + 8 * i;
    double u = a->input[i];
    Curve FL = active_length((a->length[i] - p[0]) / p[1], p[3], p[4]);
    Curve FV = active_velocity(a->velocity[i] / (p[1] * p[5]), p[7]);
    value += p[2] * FL.value * FV.value * u;
    per_length += p[2] * FL.slope * FV.value * u / p[1];
    per_velocity += p[2] * FL.value * FV.slope * u / (p[1] * p[5]);
  }
  if (hf_model_actuator_biastype(m)[i] == HF_BIAS_MUSCLE) {
    const double* b = hf_model_actuator_passive(m) + 5 * i;
    Curve FP = passive_length((a->length[i] - b[0]) / b[1], b[3], b[4]);
    value += b[2] * FP.value;
    per_length += b[2] * FP.slope / b[1];
  }

  // the muscle pulls: its force is minus this value, linear about the present length and velocity
  f->length -= per_length;
  f->velocity -= per_velocity;
  f->constant -= value - per_length * a->length[i] - per_velocity * a->velocity[i];
}

double hfi_muscle_gain(const hfActuation* a, int i) {
  const double* p = hf_model_actuator_muscle(a->model) + 8 * i;
  double L = (a->length[i] - p[0]) / p[1];
  double V = a->velocity[i] / (p[1] * p[5]);
  return -p[2] * active_length(L, p[3], p[4]).value * active_velocity(V, p[7]).value;
}

double hfi_muscle_time(const double* dynprm, double u, double act) {
  double speed = 0.5 + 1.5 * clamp(act, 0, 1);
  double up = dynprm[0] * speed;
  double down = dynprm[1] / speed;
  double rise = clamp(u, 0, 1) - act;
  if (!(dynprm[2] > 0)) return rise > 0 ? up : down;
  double x = clamp(rise / dynprm[2] + 0.5, 0, 1);
  return down + (up - down) * x * x * x * (10 + x * (6 * x - 15));
}
