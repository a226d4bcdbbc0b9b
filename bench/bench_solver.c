// Time of one solve of the step problem, without the rest of a step.
//
//   gripper   nv 8: a mug between two pads of 8 spheres, shaken (TAMSI section VI-A); h = 3 ms
//   hand      nv 22: 16 finger joints with servos around a mug, 20 contacts; h = 0.7 ms
//   clutter   200 free bodies in one island, 600 contacts; h = 2 ms
//
// Each scene is stepped with frozen geometry: momentum, depths, anchors and drives change from step
// to step, Jacobians do not, so that contacts stick, slip and open as they do in a simulation. All
// problems of the run are kept and solved again and again; the best of several rounds is printed.
//
//   bench_solver [scene [friction]]      friction: regularised, smooth, anchored (default both
//   ends)
#include "support/step_problems.h"

#include "math/vec3.h"
#include "step/law/law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DOFS = 1200, STEPS = 400, ROUNDS = 7 };

typedef struct scene {
  const char* name;
  problemBuilder problem;
  double force[MAX_DOFS];      // generalised forces that do not change [N, N m]
  int shaken;                  // dof pushed by amplitude sin(2 pi frequency t), or -1
  double amplitude, frequency; // [N], [Hz]
  int friction;
} scene;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static hfContactLaw make_law(double k, double d, double mu, double depth, int friction,
                             double mass) {
  hfContactLaw c;
  memset(&c, 0, sizeof c);
  c.stiffness = k;
  c.dissipation = d;
  c.depth = depth;
  c.normal_force0 = k * max2(0, depth);
  c.friction = friction;
  c.mu[0] = mu;
  c.stiction_speed[0] = 1e-4;
  c.k_t[0] = 0.8 * k;
  c.c_t[0] = 2 * sqrt(c.k_t[0] * mass);
  return c;
}

// Rows n, t1, t2 on a free body (dofs: velocity, angular velocity) at lever arm r.
static void free_rows(double J[18], hfVec3 n, hfVec3 r, double sign) {
  hfVec3 axis[3] = {n};
  v3_tangents(n, axis + 1, axis + 2);
  for (int i = 0; i < 3; ++i) {
    v3_store(J + 6 * i, v3_scale(sign, axis[i]));
    v3_store(J + 6 * i + 3, v3_scale(sign, v3_cross(r, axis[i])));
  }
}

static int add_free_body(scene* s, double mass, double inertia) {
  double M[36] = {0}, v0[6] = {0};
  for (int i = 0; i < 6; ++i) M[7 * i] = i < 3 ? mass : inertia;
  return problem_add_tree(&s->problem, 6, M, NULL, NULL, v0);
}

static void build_gripper(scene* s) {
  problem_reset(&s->problem, 3e-3);
  int mug = add_free_body(s, 0.094, 1.5e-4);
  double M[4] = {1.0889, 0, 0, 0.05}, v0[2] = {-1.885, 0}; // lift along z, finger along x
  int gripper = problem_add_tree(&s->problem, 2, M, NULL, NULL, v0);
  s->problem.P.v0[2] = -1.885;
  s->force[7] = 10;
  s->shaken = 6;
  s->amplitude = 25.8;
  s->frequency = 2;
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 8; ++i) {
      double angle = i * HFI_PI / 4, J[18], z = 0.014 * sin(angle);
      hfVec3 n = v3(side ? 1 : -1, 0, 0), r = v3(side ? -0.04 : 0.04, 0.014 * cos(angle), z + 0.02);
      hfVec3 axis[3] = {n};
      double depth = 10.0 / 8 / 970 + 1e-3 * sin(angle); // some touch, some hardly do
      hfContactLaw law = make_law(970, 3.19, 0.0947, depth, s->friction, 0.047);
      problem_add_contact(&s->problem, 3, &law);
      free_rows(J, n, r, 1);
      problem_add_piece(&s->problem, mug, 6, NULL, J);
      v3_tangents(n, axis + 1, axis + 2);
      double Jg[6];
      int ncol = side ? 2 : 1; // the right finger is part of the gripper's body
      for (int k = 0; k < 3; ++k) {
        Jg[ncol * k] = -axis[k].z;
        if (side) Jg[2 * k + 1] = -axis[k].x;
      }
      problem_add_piece(&s->problem, gripper, ncol, NULL, Jg);
    }
}

// Four fingers of four joints each around a mug; links of 4 cm, servo and joint limit a joint.
static void build_hand(scene* s) {
  testRandom random = {7};
  double M[256] = {0}, diag[16], h = 7e-4;
  problem_reset(&s->problem, h);
  for (int f = 0; f < 4; ++f)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        M[17 * 0 + 16 * (4 * f + i) + 4 * f + j] =
            2e-4 / (1 + abs(i - j)) * (4 - imax2(i, j)) + (i == j) * 1e-4;
  for (int i = 0; i < 16; ++i) diag[i] = h * 0.015;
  int hand = problem_add_tree(&s->problem, 16, M, diag, NULL, NULL),
      mug = add_free_body(s, 0.094, 1.5e-4);
  for (int i = 0; i < 16; ++i) { // servo, kp 0.05, kd 5e-3, closing on the mug
    hfSaturatedRow servo = {
        .s0 = 0.05 * 0.8 / (h * 0.05 + 5e-3), .kappa = h * 0.05 + 5e-3, .lo = -0.7, .hi = 0.7};
    int32_t col = i;
    double one = 1;
    problem_add_saturated(&s->problem, 1, &servo);
    problem_add_piece(&s->problem, hand, 1, &col, &one);
  }
  for (int f = 0; f < 4; ++f)
    for (int i = 0; i < 5; ++i) {
      double turn = f * HFI_PI / 2 + 0.02 * i, J[18], Jf[12];
      hfVec3 n = v3(-cos(turn), -sin(turn), 0), axis[3] = {n};
      hfVec3 r = v3(0.04 * cos(turn), 0.04 * sin(turn), 0.01 * (i - 2));
      hfContactLaw law = make_law(1e4, 1, 0.67, 2e-5, s->friction, 0.03);
      int32_t cols[4] = {4 * f, 4 * f + 1, 4 * f + 2, 4 * f + 3};
      v3_tangents(n, axis + 1, axis + 2);
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 4;
             ++j) // the joint's motion is along the closing direction, with some shear
          Jf[4 * k + j] = -(k == 0 ? 0.04 * (4 - j) : 0.01 * random_normal(&random));
      problem_add_contact(&s->problem, 3, &law);
      problem_add_piece(&s->problem, hand, 4, cols, Jf);
      free_rows(J, n, r, 1);
      problem_add_piece(&s->problem, mug, 6, NULL, J);
    }
  s->shaken = 18;
  s->amplitude = 1.0;
  s->frequency = 3;
}

// A pile: each body rests with two contacts on the one below (or the ground) and leans on a
// neighbour.
static void build_clutter(scene* s) {
  testRandom random = {11};
  problem_reset(&s->problem, 2e-3);
  for (int i = 0; i < 200; ++i) {
    double mass = random_log(&random, 0.05, 0.5);
    add_free_body(s, mass, 0.4 * mass * sqr(0.04));
    s->force[6 * i + 2] = -9.81 * mass;
  }
  for (int i = 0; i < 200; ++i)
    for (int c = 0; c < 3; ++c) {
      int other = c < 2 ? i - 25 : i % 5 ? i - 1 : -1;
      double J[18];
      hfVec3 n = v3_unit(v3_add(c < 2 ? v3(0, 0, 1) : v3(1, 0, 0),
                                v3_scale(0.2, v3(random_normal(&random), random_normal(&random),
                                                 random_normal(&random)))));
      hfVec3 r = v3_axpy(-0.03, n,
                         v3(c == 0   ? 0.02
                            : c == 1 ? -0.02
                                     : 0,
                            0.01 * random_normal(&random), 0));
      hfContactLaw law = make_law(1e5, 20, 0.5, c < 2 ? 2e-5 : -1e-5, s->friction, 0.1);
      problem_add_contact(&s->problem, 3, &law);
      free_rows(J, n, r, 1);
      problem_add_piece(&s->problem, i, 6, NULL, J);
      if (other < 0) continue;
      free_rows(J, n, v3_axpy(0.06, n, r), -1);
      problem_add_piece(&s->problem, other, 6, NULL, J);
    }
  s->shaken = -1;
}

// ---- stepping with frozen geometry
// ---------------------------------------------------------------

static void set_momentum(scene* s, double t) {
  hfStepProblem* P = &s->problem.P;
  for (int tree = 0; tree < P->ntree; ++tree) {
    int a = P->tree_start[tree], n = P->tree_start[tree + 1] - a;
    for (int i = 0; i < n; ++i) {
      double sum = P->h * s->force[a + i];
      if (a + i == s->shaken) sum += P->h * s->amplitude * sin(2 * HFI_PI * s->frequency * t);
      for (int j = 0; j < n; ++j) sum += P->M[P->M_start[tree] + i * n + j] * P->v0[a + j];
      P->p[a + i] = sum;
    }
  }
}

static void row_velocity(const hfStepProblem* P, const hfStepBlock* b, const double* v, double* s) {
  for (int i = 0; i < b->dim; ++i) s[i] = 0;
  for (int k = 0; k < b->npiece; ++k) {
    const hfStepPiece* piece = P->piece + b->piece + k;
    for (int i = 0; i < b->dim; ++i)
      for (int j = 0; j < piece->ncol; ++j)
        s[i] += P->J[piece->jac + i * piece->ncol + j] *
                v[P->tree_start[piece->tree] + P->cols[piece->col + j]];
  }
}

static void advance(scene* s, const double* v, const double* impulse) {
  hfStepProblem* P = &s->problem.P;
  memcpy(P->v0, v, sizeof(double) * (size_t)P->nv);
  for (int b = 0; b < P->nblock; ++b) {
    const hfStepBlock* block = P->block + b;
    double rows[6], xi[5];
    row_velocity(P, block, v, rows);
    if (block->law == HF_LAW_SATURATED) {
      P->saturated[block->param].s0 -=
          P->h * 0.05 * rows[0] / P->saturated[block->param].kappa; // servo nears its target
      continue;
    }
    hfContactLaw* c = P->contact + block->param;
    hfi_contact_deformation(c, P->h, block->dim, impulse + block->row, xi);
    memcpy(c->xi0, xi, sizeof(double) * (size_t)(block->dim - 1));
    c->depth -= P->h * rows[0];
    c->normal_force0 = impulse[block->row] / P->h;
  }
}

// What changes from step to step.
typedef struct snapshot {
  double *p, *v0;
  hfContactLaw* contact;
  hfSaturatedRow* saturated;
} snapshot;

static void* copy_of(const void* from, size_t bytes) {
  void* to = malloc(bytes ? bytes : 1);
  if (!to) exit(1);
  memcpy(to, from, bytes);
  return to;
}

static snapshot take_snapshot(const hfStepProblem* P) {
  snapshot s = {copy_of(P->p, sizeof(double) * (size_t)P->nv),
                copy_of(P->v0, sizeof(double) * (size_t)P->nv),
                copy_of(P->contact, sizeof(hfContactLaw) * (size_t)P->ncontact),
                copy_of(P->saturated, sizeof(hfSaturatedRow) * (size_t)P->nsaturated)};
  return s;
}

static hfStepProblem with_snapshot(const hfStepProblem* P, const snapshot* s) {
  hfStepProblem q = *P;
  q.p = s->p, q.v0 = s->v0, q.contact = s->contact, q.saturated = s->saturated;
  return q;
}

static void run(scene* s, void (*build)(scene*), int steps) {
  build(s);
  hfStepProblem* P = &s->problem.P;
  hfStepCapacity capacity = hf_step_problem_capacity(P);
  hfSolverConfig config = hf_solver_config_default();
  hfSolveReport report;
  hfSolver* solver;
  hfError error;
  static double v[MAX_DOFS], impulse[4 * MAX_DOFS];
  static snapshot kept[STEPS];
  if (hf_step_problem_validate(P, &error) || hf_solver_create(&solver, &capacity, &error)) {
    fprintf(stderr, "%s: %s\n", s->name, error.message);
    exit(1);
  }
  double iterations = 0, limited = 0, slipping = 0, touching = 0, worst = 0;
  int rungs[4] = {0};
  for (int n = 0; n < steps; ++n) {
    set_momentum(s, n * P->h);
    kept[n] = take_snapshot(P);
    hf_solver_solve(solver, &config, P, v, impulse, &report, &error);
    iterations += report.iterations;
    limited += report.limited;
    worst = max2(worst, problem_residual(P, v, impulse));
    ++rungs[report.rung];
    for (int b = 0; b < P->nblock; ++b) {
      if (P->block[b].law != HF_LAW_CONTACT) continue;
      const double* f = impulse + P->block[b].row;
      double bound = P->contact[P->block[b].param].mu[0] * f[0];
      touching += f[0] > 0;
      slipping += f[0] > 0 && sqr(f[1]) + sqr(f[2]) >= sqr(bound) * (1 - 1e-9);
    }
    advance(s, v, impulse);
  }
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; ++round) {
    double start = now();
    for (int n = 0; n < steps; ++n) {
      hfStepProblem q = with_snapshot(P, kept + n);
      hf_solver_solve(solver, &config, &q, v, impulse, &report, &error);
    }
    best = fmin(best, (now() - start) / steps);
  }
  static const char* names[] = {"regularised", "smooth", "anchored"};
  printf("%-8s %-12s nv %4d contacts %3d: %8.2f us a solve, %5.2f iterations, %4.2f limited, %5.1f "
         "touch, %5.1f slip, "
         "rungs %d/%d/%d, residual <= %.0e\n",
         s->name, names[s->friction], P->nv, P->ncontact, best, iterations / steps, limited / steps,
         touching / steps, slipping / steps, rungs[1], rungs[2], rungs[3], worst);
  hf_solver_free(solver);
  for (int n = 0; n < steps; ++n) {
    free(kept[n].p);
    free(kept[n].v0);
    free(kept[n].contact);
    free(kept[n].saturated);
  }
  problem_release(&s->problem);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*build)(scene*);
    int steps;
  } scenes[] = {{"gripper", build_gripper, STEPS},
                {"hand", build_hand, STEPS},
                {"clutter", build_clutter, 60}};
  static const char* names[] = {"regularised", "smooth", "anchored"};
  for (int i = 0; i < 3; ++i)
    for (int friction = HF_FRICTION_REGULARISED; friction <= HF_FRICTION_ANCHORED; ++friction) {
      if (argc > 1 && strcmp(argv[1], scenes[i].name) != 0) continue;
      if (argc > 2 ? strcmp(argv[2], names[friction]) != 0 : friction == HF_FRICTION_SMOOTH)
        continue;
      static scene s;
      memset(&s, 0, sizeof s);
      s.name = scenes[i].name;
      s.friction = friction;
      run(&s, scenes[i].build, scenes[i].steps);
    }
  return 0;
}
