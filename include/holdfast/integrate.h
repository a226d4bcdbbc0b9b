// Integrators of xdot = f(t, x): explicit and implicit, with fixed steps or error control.
//
//   hfOde ode = {.context = &pendulum, .nx = 2, .n = 2, .rhs = pendulum_rhs};
//   hfIntegratorConfig config = hf_integrator_config_default();
//   hf_integrator_create(&integrator, &ode, &config, &error);
//   hf_integrator_advance(integrator, &t, x, t + 0.025, &error);
//
// A state may lie on a manifold (quaternions): then x has nx numbers, its rate has n <= nx, and every
// step works in the chart x = x0 (+) u around its start, in which u is an ordinary vector
// (docs/theory/integrators.md).
#ifndef HOLDFAST_INTEGRATE_H
#define HOLDFAST_INTEGRATE_H

#include <holdfast/methods.h>
#include <holdfast/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// What hfOde.renew did.
typedef enum hfRenewal {
  HF_RENEWAL_NONE,    // the rate at x is that of the last evaluation
  HF_RENEWAL_CHANGED, // the rate at x has to be evaluated anew
  HF_RENEWAL_STOP     // the same, and the integrator returns before its goal
} hfRenewal;

// A differential equation. Functions that are NULL fall back as their comments say.
typedef struct hfOde {
  void* context; // passed to every function
  int32_t nx;    // number of numbers of a state
  int32_t n;     // dimension of its tangent space; nx where plus is NULL
  // xdot (n), as a tangent vector at x. A status > 0: f does not exist there, try a smaller step.
  hfStatus (*rhs)(void* context, double t, const double* x, double* xdot);
  // J (n x n, row-major): d xdot/d delta for x (+) delta. NULL: only forward differences.
  hfStatus (*jacobian)(void* context, double t, const double* x, double* J);
  // x = x0 (+) u. NULL: x0 + u, and the two functions below are not needed.
  void (*plus)(void* context, const double* x0, const double* u, double* x);
  // xdot <- udot, the rate of the chart coordinates at u. Identity at u = 0.
  void (*lift)(void* context, const double* u, double* xdot);
  // J <- d udot/du at u, where the lifted rate is udot.
  void (*lift_jacobian)(void* context, const double* u, const double* udot, double* J);
  // Transition-aware line search: how much, in (0, 1], of the Newton update du at x may be taken. NULL: all.
  double (*limit)(void* context, double t, const double* x, const double* du);
  // The number of the smooth region of f in which x lies (which contacts touch, stick, slip). If it changes, the Jacobian changes. NULL: there is one
  // region.
  uint64_t (*region)(void* context, double t, const double* x);
  const double* weight; // (n) weights of the error norm max_i weight_i |u_i|; NULL: 1
  // Called after every accepted step, which ended at t and x. It may change x, and add *grown coordinates at its end or remove some;
  // these are plain numbers, and nx and n at creation must be the largest possible. NULL: nothing to do.
  hfRenewal (*renew)(void* context, double t, double* x, int32_t* grown);
  // Called before a short implicit step of fixed size that failed because f jumps back and forth is tried again. From this call on, until a call with
  // x = NULL, f must be smooth: it is continued from its values near x. NULL: such steps fail.
  void (*hold)(void* context, double t, const double* x);
} hfOde;

typedef struct hfIntegratorConfig {
  int32_t method;          // HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER or HF_METHOD_SDIRK
  int32_t error_control;   // 0: fixed step; 1: steps as large as the accuracy allows
  double accuracy;         // a: error of a step in the weighted norm, > 0 under error control
  double step;             // fixed step, or the largest under error control [s]
  int32_t extrapolate;     // error control of an implicit method: 1: keep the result less its estimated error
  double smallest_step;    // shorter steps are not tried; 0: 1e-14 max(1, |t|) [s]
  int64_t max_steps;       // attempts of one advance, and half its Newton iterations; 0: no bound
  int32_t newton;          // hfNewton
  int32_t jacobian;        // hfJacobianKind
  int32_t tals;            // 1: Newton heeds hfOde.limit and hfOde.region
  int32_t max_iterations;  // Newton iterations of one solve; 0: 20 full, 10 quasi
  double newton_tolerance; // fixed step: error left by Newton in the weighted norm (error control: 0.05 of the accuracy)
  double divergence;       // ratio of successive updates at which Newton gives up [-]
  hfAllocator allocator;   // allocator of the integrator's memory; all zero: the C library's
} hfIntegratorConfig;

HF_API hfIntegratorConfig hf_integrator_config_default(void);

// One Newton iteration, for those who want to see it.
typedef struct hfNewtonIterate {
  double t, h;      // time and length of the step or stage [s]
  double residual;  // |u - u0 - h f(u)| before the update, weighted norm
  double update;    // |du| of the full update
  double alpha;     // fraction of it that was taken
} hfNewtonIterate;

typedef struct hfIntegrator hfIntegrator;

// Copies ode and config. Refuses an accuracy that is not positive under error control, a step that is
// not positive, an analytic Jacobian that the equation does not give.
HF_API hfStatus hf_integrator_create(hfIntegrator** integrator, const hfOde* ode,
                                     const hfIntegratorConfig* config, hfError* error);
HF_API void hf_integrator_free(hfIntegrator* integrator);

// Advances *t and x (nx) to t_end >= *t. A step that fails (Newton, or an explicit step that is
// unstable) is tried again at half its size, with fixed steps too. Trouble is a status > 0 and leaves
// the last accepted step in *t and x: HF_STEP_TOO_SMALL, HF_NOT_CONVERGED (max_steps used up). A
// refusal leaves them as they were. Allocates nothing.
HF_API hfStatus hf_integrator_advance(hfIntegrator* integrator, double* t, double* x, double t_end,
                                      hfError* error);
// Forgets the step size, the Jacobian and the report: the next advance depends on its arguments alone.
HF_API void hf_integrator_reset(hfIntegrator* integrator);
HF_API hfIntegratorReport hf_integrator_report(const hfIntegrator* integrator);
// Step that error control would try next; it may be set for the next advance [s].
HF_API double hf_integrator_next_step(const hfIntegrator* integrator);
HF_API void hf_integrator_set_next_step(hfIntegrator* integrator, double step);

// Newton iterations of the following advances are written to iterate[0 .. capacity) until it is full.
HF_API void hf_integrator_trace(hfIntegrator* integrator, hfNewtonIterate* iterate, int capacity);
HF_API int hf_integrator_trace_count(const hfIntegrator* integrator);

#ifdef __cplusplus
}
#endif
#endif
