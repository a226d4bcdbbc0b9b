// Memory of an hfMlcp. Arrays over rows have the size of the capacity. The dense matrices do not, because
// they grow with the square of the rows. For all contacts that a scene can have they would need hundreds of gigabytes;
// the islands of a step need some megabytes. There is memory for small problems from the start. More is allocated if a
// problem needs it.
#include "methods/mlcp/inside.h"

#include "base/object.h"
#include "math/vec3.h"

// Numbers of rows and velocities for which there is memory from the start.
enum { SMALL_PROBLEM_ROWS = 96, SMALL_PROBLEM_DOFS = 64 };
// Largest number of unknowns. A pivoting method makes matrices with twice as many rows, whose indices have 32 bits.
enum { MAX_UNKNOWNS = 23000 };
// Unit of the message [GB per byte].
static const double GIGABYTES = 1e-9;

// Returns the default configuration: the complementarity form with eight edges, by Lemke's method.
hfMlcpConfig hf_mlcp_config_default(void) {
  hfMlcpConfig c = {
      .form = HF_MLCP_COMPLEMENTARITY,
      .method = HF_LCP_LEMKE,
      .edges = 8,
      .tikhonov = 0,
      .fallback = 0,
      .recovery = 0.2,
      .tolerance = 1e-6,
  };
  return c;
}

// Takes the arrays that grow linearly with the capacity.
static void take_arrays(void* object, hfiArena* arena) {
  hfMlcp* mlcp = object;
  hfiMlcpRows* rows = &mlcp->rows;
  hfiMlcpIslands* islands = &mlcp->islands;
  const hfStepCapacity* capacity = &mlcp->capacity;

  rows->source = HFI_TAKE(arena, int32_t, capacity->nrow);
  HFI_TAKE_EACH(arena, int32_t, capacity->nblock, &rows->contact, &rows->tangent, &islands->group_block);
  rows->mu = HFI_TAKE(arena, double, capacity->nblock);
  HFI_TAKE_EACH(arena, double, capacity->nrow, &rows->g, &rows->target, &rows->soft, &rows->lo, &rows->hi);
  HFI_TAKE_EACH(arena, double, capacity->nrow, &rows->x, &mlcp->impulse);

  mlcp->A = HFI_TAKE(arena, double, (size_t)capacity->max_tree_nv * (size_t)capacity->max_tree_nv);
  HFI_TAKE_EACH(arena, double, capacity->nv, &mlcp->free_v, &mlcp->v);
  HFI_TAKE_EACH(arena, int32_t, capacity->ntree, &mlcp->column, &islands->group_tree, &islands->driven);
  hfi_partition_plan(&islands->partition, arena, capacity->ntree, capacity->nblock, capacity->npiece);
}

// Takes the arrays that grow with the square of a problem's size.
static void take_dense(hfMlcp* mlcp, hfiArena* arena) {
  size_t row = (size_t)mlcp->room.row;
  size_t nv = (size_t)mlcp->room.nv;
  size_t n = (size_t)mlcp->room.n;

  HFI_TAKE_EACH(arena, double, row * nv, &mlcp->rows.J, &mlcp->rows.W);
  mlcp->rows.G = HFI_TAKE(arena, double, row * row);
  mlcp->lcp.edge = HFI_TAKE(arena, hfiMlcpEdge, n);
  mlcp->lcp.A = HFI_TAKE(arena, double, n * n);
  HFI_TAKE_EACH(arena, double, n, &mlcp->lcp.b, &mlcp->lcp.lo, &mlcp->lcp.hi, &mlcp->lcp.z);
  mlcp->lcp.work = HFI_TAKE(arena, char, mlcp->room.work_size);
}

// Returns the number of unknowns of the complementarity problem: the rows and, depending on the form, the slacks of the
// friction cones, the multipliers of targets and normals, or the four sides of each friction pyramid. held: number of
// targets and normals; nt: of contacts with friction.
static int64_t count_unknowns(const hfMlcpConfig* config, int64_t held, int64_t nt) {
  switch (config->form) {
  case HF_MLCP_COMPLEMENTARITY:
    return held + nt * (config->edges + 1);
  case HF_MLCP_TWO_STAGE:
    return held + 2 * nt + held;
  default:
    return held + 2 * nt + HFI_MLCP_SIDES * nt;
  }
}

// Replaces the dense arrays by arrays for problems of up to `row` rows, `nv` velocities and `n` unknowns. Their
// contents are lost. Refuses if the machine has less memory than the arrays need, even if the system would promise it:
// the matrix is dense, and all of it is used.
static hfStatus allocate_dense(hfMlcp* mlcp, int32_t row, int32_t nv, int64_t n, hfError* error) {
  hfi_release(mlcp->room.memory);
  // take_dense reads the sizes from here
  mlcp->room = (hfiMlcpRoom){row, nv, (int32_t)n, hf_lcp_work_size((hfLcpMethod)mlcp->config.method, (int32_t)n), NULL};

  hfiArena plan = hfi_arena(NULL, 0);
  take_dense(mlcp, &plan);
  hfiArena arena = plan;
  int is_possible = n <= MAX_UNKNOWNS && plan.used <= hfi_machine_memory();
  if (is_possible) arena = hfi_arena_allocate(&plan, &mlcp->capacity.allocator);

  mlcp->room.memory = arena.base;
  if (arena.base) {
    take_dense(mlcp, &arena);
    return HF_OK;
  }

  mlcp->room = (hfiMlcpRoom){0};
  return hfi_refuse(error, HF_ERROR_MEMORY,
                    "mlcp: no %.3g GB for a dense problem of %d contacts and %d other rows; take another method",
                    GIGABYTES * (double)plan.used, (int)mlcp->rows.nc, (int)mlcp->rows.ns);
}

// Allocates dense arrays for the members if there are only smaller ones.
hfStatus hfi_mlcp_make_room(hfMlcp* mlcp, hfError* error) {
  const hfiMlcpRows* rows = &mlcp->rows;
  const hfiMlcpRoom* room = &mlcp->room;
  int held = rows->ns + rows->nc;
  int row = held + 2 * rows->nt;
  int64_t n = count_unknowns(&mlcp->config, held, rows->nt);
  if (row <= room->row && mlcp->nv <= room->nv && n <= room->n) return HF_OK;

  // a fourth more than is needed now, and nothing less than there was
  if (row > room->row) row = imin2(row + row / 4, mlcp->capacity.nrow);
  if (n > room->n) n += n / 4;
  return allocate_dense(mlcp, imax2(row, room->row), imax2(mlcp->nv, room->nv), n > room->n ? n : room->n, error);
}

// Refuses a configuration that is out of range, and names the option.
static hfStatus check_config(const hfMlcpConfig* config, hfError* error) {
  if (config->form < 0 || config->form > HF_MLCP_DISSIPATION)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: form = %d: allowed is 0 to %d", config->form,
                      HF_MLCP_DISSIPATION);

  if (config->method != HF_LCP_LEMKE && config->method != HF_LCP_DANTZIG)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: method = %d is neither Lemke (%d) nor Dantzig (%d)",
                      config->method, HF_LCP_LEMKE, HF_LCP_DANTZIG);

  if (config->edges < 4 || config->edges > 32 || config->edges % 2)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: edges = %d must be an even number from 4 to 32", config->edges);

  if (!(config->tikhonov >= 0 && config->recovery >= 0 && config->recovery <= 1 && config->tolerance > 0))
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "mlcp: tikhonov = %g must not be negative, recovery = %g must be 0 to 1, "
                      "tolerance = %g must be positive",
                      config->tikhonov, config->recovery, config->tolerance);
  return HF_OK;
}

// Creates a solver, with dense arrays for small problems.
hfStatus hf_mlcp_create(hfMlcp** out, const hfStepCapacity* capacity, const hfMlcpConfig* config, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_config(config, error);
  if (status != HF_OK) return status;

  hfMlcp seed = {.capacity = *capacity, .config = *config};
  hfMlcp* mlcp = hfi_object_create(&seed, sizeof seed, take_arrays, &capacity->allocator, "mlcp", error);
  if (!mlcp) return HF_ERROR_MEMORY;

  int row = imin2(capacity->nrow, SMALL_PROBLEM_ROWS);
  int contacts = imin2(row / 3, capacity->nblock);
  int64_t n = count_unknowns(config, row - 2 * contacts, contacts);
  status = allocate_dense(mlcp, row, imin2(capacity->nv, SMALL_PROBLEM_DOFS), n, error);
  if (status == HF_OK) *out = mlcp;
  else hf_mlcp_free(mlcp);
  return status;
}

void hf_mlcp_free(hfMlcp* mlcp) {
  if (!mlcp) return;
  hfi_release(mlcp->room.memory);
  hfi_release(mlcp);
}
