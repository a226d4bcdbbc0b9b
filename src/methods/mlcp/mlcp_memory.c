// Memory of an hfMlcp. Arrays over rows have the size of the capacity. The dense matrices do not: they grow with the
// square of the rows, and for all contacts that a scene can have they would need hundreds of gigabytes, whereas the
// islands of a step need some megabytes. There is memory for small problems from the start, and more is allocated if a
// problem needs it.
#include "methods/mlcp/inside.h"

#include "base/object.h"
#include "math/vec3.h"

// Numbers of rows and velocities for which there is memory from the start.
enum { PLANNED_ROWS = 96, PLANNED_DOFS = 64 };
// Largest number of unknowns. A pivoting method makes matrices with twice as many rows, whose indices have 32 bits.
enum { MAX_UNKNOWNS = 23000 };

hfMlcpConfig hf_mlcp_config_default(void) {
  hfMlcpConfig c = {HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE, 8, 0, 0, 0.2, 1e-6};
  return c;
}

// Takes the arrays that grow linearly with the capacity.
static void take_arrays(void* object, hfiArena* arena) {
  hfMlcp* m = object;
  hfiMlcpRows* r = &m->rows;
  hfiMlcpIslands* islands = &m->islands;
  const hfStepCapacity* c = &m->capacity;

  r->source = HFI_TAKE(arena, int32_t, c->nrow);
  HFI_TAKE_EACH(arena, int32_t, c->nblock, &r->contact, &r->tangent, &islands->group_block);
  r->mu = HFI_TAKE(arena, double, c->nblock);
  HFI_TAKE_EACH(arena, double, c->nrow, &r->g, &r->target, &r->soft, &r->lo, &r->hi, &r->x, &m->impulse);

  m->A = HFI_TAKE(arena, double, (size_t)c->max_tree_nv * (size_t)c->max_tree_nv);
  HFI_TAKE_EACH(arena, double, c->nv, &m->free_v, &m->v);
  HFI_TAKE_EACH(arena, int32_t, c->ntree, &m->column, &islands->group_tree, &islands->driven);
  hfi_partition_plan(&islands->partition, arena, c->ntree, c->nblock, c->npiece);
}

// Takes the arrays that grow with the square of a problem's size.
static void take_dense(hfMlcp* m, hfiArena* arena) {
  size_t row = (size_t)m->room.row;
  size_t nv = (size_t)m->room.nv;
  size_t n = (size_t)m->room.n;

  HFI_TAKE_EACH(arena, double, row * nv, &m->rows.J, &m->rows.W);
  m->rows.G = HFI_TAKE(arena, double, row * row);
  m->lcp.edge = HFI_TAKE(arena, hfiMlcpEdge, n);
  m->lcp.A = HFI_TAKE(arena, double, n * n);
  HFI_TAKE_EACH(arena, double, n, &m->lcp.b, &m->lcp.lo, &m->lcp.hi, &m->lcp.z);
  m->lcp.work = HFI_TAKE(arena, char, m->room.work_size);
}

// Returns the number of unknowns of the complementarity problem: the rows and, depending on the form, the slacks of the
// friction cones, the multipliers of targets and normals, or the four sides of each friction pyramid. held: number of
// targets and normals; nt: of contacts with friction.
static int64_t count_unknowns(const hfMlcpConfig* c, int64_t held, int64_t nt) {
  switch (c->form) {
  case HF_MLCP_COMPLEMENTARITY: return held + nt * (c->edges + 1);
  case HF_MLCP_TWO_STAGE: return held + 2 * nt + held;
  default: return held + 2 * nt + 4 * nt;
  }
}

// Replaces the dense arrays by arrays for problems of up to `row` rows, `nv` velocities and `n` unknowns. Their
// contents are lost. Refuses if the machine has less memory than the arrays need, even if the system would promise it:
// the matrix is dense, and all of it is used.
static hfStatus allocate_dense(hfMlcp* m, int32_t row, int32_t nv, int64_t n, hfError* error) {
  hfi_release(m->room.memory);
  m->room = (hfiMlcpRoom){row, nv, (int32_t)n, hf_lcp_work_size((hfLcpMethod)m->config.method, (int32_t)n), NULL};

  hfiArena plan = hfi_arena(NULL, 0);
  take_dense(m, &plan);
  hfiArena arena = plan;
  if (n <= MAX_UNKNOWNS && plan.used <= hfi_machine_memory()) arena = hfi_arena_allocate(&plan, &m->capacity.allocator);

  m->room.memory = arena.base;
  if (arena.base) {
    take_dense(m, &arena);
    return HF_OK;
  }
  m->room = (hfiMlcpRoom){0};
  return hfi_refuse(error, HF_ERROR_MEMORY,
                    "mlcp: no %.3g GB for a dense problem of %d contacts and %d other rows; take another method",
                    1e-9 * (double)plan.used, (int)m->rows.nc, (int)m->rows.ns);
}

// Allocates dense arrays for the members if there are only smaller ones.
hfStatus hfi_mlcp_make_room(hfMlcp* m, hfError* error) {
  const hfiMlcpRows* r = &m->rows;
  const hfiMlcpRoom* room = &m->room;
  int held = r->ns + r->nc;
  int row = held + 2 * r->nt;
  int64_t n = count_unknowns(&m->config, held, r->nt);
  if (row <= room->row && m->nv <= room->nv && n <= room->n) return HF_OK;

  // a fourth more than is needed now, and nothing less than there was
  if (row > room->row) row = imin2(row + row / 4, m->capacity.nrow);
  if (n > room->n) n += n / 4;
  return allocate_dense(m, imax2(row, room->row), imax2(m->nv, room->nv), n > room->n ? n : room->n, error);
}

// Refuses a configuration that is out of range, and names the option.
static hfStatus check_config(const hfMlcpConfig* c, hfError* error) {
  if (c->form < 0 || c->form > HF_MLCP_DISSIPATION)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: form = %d: allowed is 0 to %d", c->form, HF_MLCP_DISSIPATION);

  if (c->method != HF_LCP_LEMKE && c->method != HF_LCP_DANTZIG)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: method = %d is neither Lemke (%d) nor Dantzig (%d)", c->method,
                      HF_LCP_LEMKE, HF_LCP_DANTZIG);

  if (c->edges < 4 || c->edges > 32 || c->edges % 2)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: edges = %d must be an even number from 4 to 32", c->edges);

  if (!(c->tikhonov >= 0 && c->recovery >= 0 && c->recovery <= 1 && c->tolerance > 0))
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "mlcp: tikhonov = %g must not be negative, recovery = %g must be 0 to 1, "
                      "tolerance = %g must be positive",
                      c->tikhonov, c->recovery, c->tolerance);
  return HF_OK;
}

// Creates a solver, with dense arrays for small problems.
hfStatus hf_mlcp_create(hfMlcp** out, const hfStepCapacity* capacity, const hfMlcpConfig* config, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_config(config, error);
  if (status != HF_OK) return status;

  hfMlcp seed = {.capacity = *capacity, .config = *config};
  hfMlcp* m = hfi_object_create(&seed, sizeof seed, take_arrays, &capacity->allocator, "mlcp", error);
  if (!m) return HF_ERROR_MEMORY;

  int row = imin2(capacity->nrow, PLANNED_ROWS);
  int contacts = imin2(row / 3, capacity->nblock);
  int64_t n = count_unknowns(config, row - 2 * contacts, contacts);
  status = allocate_dense(m, row, imin2(capacity->nv, PLANNED_DOFS), n, error);
  if (status == HF_OK) *out = m;
  else hf_mlcp_free(m);
  return status;
}

void hf_mlcp_free(hfMlcp* m) {
  if (!m) return;
  hfi_release(m->room.memory);
  hfi_release(m);
}
