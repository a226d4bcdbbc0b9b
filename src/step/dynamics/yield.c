// Springs that yield. If a spring is displaced from its rest by more than y, its rest position moves and stays where
// it is then. At the end of a step:
//
//   x = q - rest,   rest <- rest (+) x (1 - y/|x|)   if |x| > y
//
// Then the displacement is y. (+) and - are those of the joint's coordinates, so that orientations stay orientations.
// Within the next step the displacement may exceed y only by the motion of this step.
//
// The rest interval [a, b] of a tendon moves as a whole. A tendon that cannot push, [0, b], is an exception: only b
// moves, when the tendon is stretched (as in MuJoCo).
#include "step/dynamics/inside.h"

// Moves the rest of joint j's spring so that it is displaced by at most its yield. q, rest: coordinates of the
// joint.
static void yield_joint(const hfModel* m, int j, const double* q, double* rest) {
  int type = hf_model_jnt_type(m)[j];
  int n = hfi_joint_nv(type);
  double yield = hf_model_jnt_springyield(m)[j];
  double x[6] = {0};
  if (yield == 0) return;

  hfi_joint_difference(type, rest, q, 1, x);
  double size = n == 1 ? fabs(x[0]) : v3_norm(v3_load(x));
  if (size > yield) hfi_joint_integrate(type, rest, x, 1 - yield / size);
}

// Moves the rest interval of a tendon of this length so that the length is at most `yield` [m] outside of it. Of a
// rope, whose interval begins at 0 because it does not push, only the upper end moves.
static void yield_tendon(double length, double yield, double rest[2]) {
  double stretched = length - rest[1] - yield;
  double pressed = rest[0] - length - yield;
  int is_rope = rest[0] == 0 && rest[1] > 0;

  if (stretched > 0) {
    rest[1] += stretched;
    rest[0] += is_rope ? 0 : stretched;
  } else if (pressed > 0) {
    rest[0] -= pressed;
    rest[1] -= pressed;
  }
}

// Moves the rests of all springs that yield. rest: (nq + 2 ntendon) as in hfState; q (nq): the present coordinates.
void hfi_yield_springs(const hfDynamics* d, const double* q, double* rest) {
  const hfModel* m = d->model;

  for (int j = 0; j < m->njnt; ++j) {
    int adr = hf_model_jnt_qposadr(m)[j];
    yield_joint(m, j, q + adr, rest + adr);
  }

  for (int t = 0; t < m->ntendon; ++t) {
    double yield = hf_model_tendon_springyield(m)[t];
    if (yield > 0) yield_tendon(hfi_tendon_length(d, t, q), yield, rest + m->nq + 2 * t);
  }
}
