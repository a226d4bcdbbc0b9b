// Solves a bounded LCP: checks it, equilibrates it, runs the pivoting method or the sweeps that the
// configuration names, corrects the answer by Newton steps and scales it back.
#include "base/error.h"
#include "methods/lcp/problem.h"

#include <assert.h>
#include <math.h>

enum { DEFAULT_SWEEPS = 1000 }; // The largest number of Gauss-Seidel sweeps where the caller gives none.

// Returns the configuration of Lemke's method with its own limit of pivots.
hfLcpConfig hf_lcp_config_default(void) {
  hfLcpConfig c = {
      .method = HF_LCP_LEMKE,
      .max_pivots = 0,
      .tolerance = 1e-10,
      .tikhonov = 0,
      .relaxation = 1,
      .cover = NULL,
      .warm_start = 0,
  };
  return c;
}

// The scaled problem and its answer.
typedef struct LcpWork {
  hfiLcp p;
  hfiLcpScale scale;
  double* z;           // (n) in scaled units
  double* cover;       // (n) in scaled units
  unsigned char* mode; // (n)
} LcpWork;

// Takes storage for n rows.
static LcpWork take_work(hfiArena* arena, int32_t n) {
  LcpWork storage;
  storage.p = hfi_lcp_take(arena, n);
  storage.scale = hfi_lcp_scale_take(arena, n);
  storage.z = HFI_TAKE(arena, double, n);
  storage.cover = HFI_TAKE(arena, double, n);
  storage.mode = HFI_TAKE(arena, unsigned char, n);
  return storage;
}

// Returns the largest number of pivots where the caller gives none. Lemke's paths are 0.7 to 7 n pivots long in the
// heaps of random worlds that were measured; each pivot takes n^2 multiplications. A problem of 2,000 unknowns would
// take minutes for 20 n of them: beyond n = 600 the work is bounded, too.
static int32_t default_limit(int32_t n) {
  const double most_work = 4e9; // [multiplications]
  double by_work = fmax(2. * n, most_work / fmax(1, (double)n * n));
  return (int32_t)fmin(100 + 20. * n, by_work);
}

// Runs config->method. Over an arena without memory it only counts the scratch.
static hfStatus run_method(const hfLcpConfig* config, LcpWork* storage, int32_t* pivots, hfiArena* scratch) {
  int32_t limit = config->max_pivots;
  if (config->method == HF_LCP_GAUSS_SEIDEL)
    return hfi_gauss_seidel_solve(&storage->p, config, limit > 0 ? limit : DEFAULT_SWEEPS, storage->z, pivots, scratch);

  if (limit <= 0) limit = default_limit(storage->p.n);
  if (config->method == HF_LCP_DANTZIG)
    return hfi_dantzig_solve(&storage->p, limit, storage->z, storage->mode, pivots, scratch);

  const double* cover = config->cover ? storage->cover : NULL;
  return hfi_lemke_solve(&storage->p, cover, limit, storage->z, storage->mode, pivots, scratch);
}

// Returns the bytes of workspace that hf_lcp_solve needs for n rows.
size_t hf_lcp_work_size(hfLcpMethod method, int32_t n) {
  hfiArena arena = hfi_arena(NULL, 0);
  LcpWork storage = take_work(&arena, n);

  hfiArena method_scratch = arena;
  hfLcpConfig config = hf_lcp_config_default();
  config.method = method;
  run_method(&config, &storage, NULL, &method_scratch);

  // the method and the polishing use the same scratch, which starts aligned
  size_t polish_size = hfi_lcp_polish_size(n);
  size_t method_size = method_scratch.used - arena.used;
  return arena.used + (method_size > polish_size ? method_size : polish_size) + HFI_ALIGN;
}

// Refuses a configuration with numbers out of their ranges.
static hfStatus check_config(const hfLcpConfig* config, int32_t n, hfError* error) {
  if (config->method < HF_LCP_LEMKE || config->method > HF_LCP_GAUSS_SEIDEL)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: method %d is unknown", (int)config->method);
  if (!(config->tolerance > 0))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: tolerance %g is not positive", config->tolerance);
  if (!(config->tikhonov >= 0 && isfinite(config->tikhonov)))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: tikhonov %g is negative or not finite", config->tikhonov);
  if (!(config->relaxation > 0 && config->relaxation < 2))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: relaxation %g is not in (0, 2)", config->relaxation);

  for (int32_t i = 0; config->cover && i < n; ++i)
    if (!(config->cover[i] > 0 && isfinite(config->cover[i])))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: cover(%d) = %g is not positive", (int)i, config->cover[i]);
  return HF_OK;
}

// Sets the starting point and the covering vector in scaled units.
static void set_start(const hfLcpConfig* config, const double* z, LcpWork* storage) {
  for (int32_t i = 0; i < storage->p.n; ++i) {
    double start = config->warm_start && isfinite(z[i]) ? ldexp(z[i], -storage->scale.col[i]) : 0;
    storage->z[i] = hfi_clamp(start, storage->p.lo[i], storage->p.hi[i]);
    if (config->cover) storage->cover[i] = ldexp(config->cover[i], storage->scale.row[i]);
  }
}

// Replaces an answer that is not finite, from a tableau that overflowed, by zero clamped to the bounds.
static void replace_nonfinite(const hfiLcp* problem, double* z) {
  int finite = 1;
  for (int32_t i = 0; i < problem->n; ++i) finite = finite && isfinite(z[i]);

  if (finite) return;
  for (int32_t i = 0; i < problem->n; ++i) z[i] = hfi_clamp(0, problem->lo[i], problem->hi[i]);
}

// Writes z and w in the caller's units; w may be NULL. It is the w of the problem with the Tikhonov term.
static void write_outputs(const hfLcp* problem, double tikhonov, const LcpWork* storage, double* z, double* w) {
  // z within its bounds
  int32_t n = problem->n;
  for (int32_t i = 0; i < n; ++i) {
    double lo = problem->lo ? problem->lo[i] : 0;
    double hi = problem->hi ? problem->hi[i] : INFINITY;
    z[i] = hfi_clamp(ldexp(storage->z[i], storage->scale.col[i]), lo, hi);
    if (!isfinite(z[i])) z[i] = hfi_clamp(0, lo, hi);
  }
  if (!w) return;

  // w = A z + b
  for (int32_t i = 0; i < n; ++i) {
    w[i] = problem->b[i] + tikhonov * z[i];
    for (int32_t j = 0; j < n; ++j) w[i] += problem->A[(size_t)i * (size_t)n + (size_t)j] * z[j];
  }
}

// Solves a problem; z is the start with config->warm_start, and the answer. w and report may be NULL.
// Returns HF_OK, a status > 0 with the best answer, or a status < 0 with a message.
hfStatus hf_lcp_solve(const hfLcp* problem, const hfLcpConfig* config, double* z, double* w, void* work,
                      size_t work_size, hfLcpReport* report, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_config(config, problem->n, error);
  if (status == HF_OK) status = hfi_lcp_check(problem, error);
  if (status != HF_OK) return status;

  if (problem->n == 0) {
    if (report) *report = (hfLcpReport){HF_OK, 0, 0, 0};
    return HF_OK;
  }
  assert(work && work_size >= hf_lcp_work_size((hfLcpMethod)config->method, problem->n));

  // in scaled units
  hfiArena arena = hfi_arena(work, work_size);
  LcpWork storage = take_work(&arena, problem->n);
  hfi_lcp_scale(problem, config->tikhonov, &storage.p, &storage.scale);
  set_start(config, z, &storage);

  // the method
  int32_t pivots = 0;
  hfiArena scratch = arena;
  status = run_method(config, &storage, &pivots, &scratch);
  replace_nonfinite(&storage.p, storage.z);

  // the residual decides, whatever the method says; a sweep has no basis to polish
  double residual;
  if (config->method == HF_LCP_GAUSS_SEIDEL) residual = hfi_lcp_residual(&storage.p, storage.z);
  else residual = hfi_lcp_polish(&storage.p, storage.mode, storage.z, arena);

  if (residual <= config->tolerance) status = HF_OK;
  else if (status == HF_OK) status = HF_NOT_CONVERGED;
  write_outputs(problem, config->tikhonov, &storage, z, w);

  if (report) {
    double as_given = config->tikhonov > 0 ? hf_lcp_residual(problem, z, work, work_size) : residual;
    *report = (hfLcpReport){status, pivots, residual, as_given};
  }
  return status;
}

// Returns the residual of z, given in the caller's units, of the problem without the Tikhonov term [-].
double hf_lcp_residual(const hfLcp* problem, const double* z, void* work, size_t work_size) {
  hfiArena arena = hfi_arena(work, work_size);
  LcpWork storage = take_work(&arena, problem->n);
  hfi_lcp_scale(problem, 0, &storage.p, &storage.scale);
  for (int32_t i = 0; i < problem->n; ++i) storage.z[i] = ldexp(z[i], -storage.scale.col[i]);
  return hfi_lcp_residual(&storage.p, storage.z);
}
