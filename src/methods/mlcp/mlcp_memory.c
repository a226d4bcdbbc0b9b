// Memory of an hfMlcp. Arrays over rows have the size of the capacity. The dense matrices do not: they grow with the square of the rows, and for all
// contacts that a scene can have they would need hundreds of gigabytes, whereas the islands of a step need some megabytes. There is memory for small
// problems from the start, and more is allocated if a problem needs it.
#include "methods/mlcp/mlcp.h"

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
  const hfStepCapacity* c = &m->capacity;
  m->source = HFI_TAKE(arena, int32_t, c->nrow);
  HFI_TAKE_EACH(arena, int32_t, c->nblock, &m->contact, &m->tangent, &m->group_block);
  m->mu = HFI_TAKE(arena, double, c->nblock);
  HFI_TAKE_EACH(arena, double, c->nrow, &m->g, &m->target, &m->soft, &m->lo, &m->hi, &m->x, &m->impulse);
  m->A = HFI_TAKE(arena, double, (size_t)c->max_tree_nv * (size_t)c->max_tree_nv);
  HFI_TAKE_EACH(arena, double, c->nv, &m->free_v, &m->v);
  HFI_TAKE_EACH(arena, int32_t, c->ntree, &m->column, &m->group_tree, &m->driven);
  hfi_partition_plan(&m->partition, arena, c->ntree, c->nblock, c->npiece);
}

// Takes the arrays that grow with the square of a problem's size.
static void take_dense(hfMlcp* m, hfiArena* arena) {
  size_t row = (size_t)m->room.row, nv = (size_t)m->room.nv, n = (size_t)m->room.n;
  HFI_TAKE_EACH(arena, double, row * nv, &m->J, &m->W);
  m->G = HFI_TAKE(arena, double, row * row);
  m->edge = HFI_TAKE(arena, hfiMlcpEdge, n);
  m->lcp_A = HFI_TAKE(arena, double, n * n);
  HFI_TAKE_EACH(arena, double, n, &m->lcp_b, &m->lcp_lo, &m->lcp_hi, &m->z);
  m->work = HFI_TAKE(arena, char, m->room.work_size);
}

// Returns the number of unknowns of the complementarity problem. They are the rows and, depending on the form, the slacks of the friction cones, the
// multipliers of targets and normals, or the four sides of each friction pyramid. nk: number of targets and normals, nt: of contacts with friction.
static int64_t count_unknowns(const hfMlcpConfig* c, int64_t nk, int64_t nt) {
  if (c->form == HF_MLCP_COMPLEMENTARITY) return nk + nt * (c->edges + 1);
  return nk + 2 * nt + (c->form == HF_MLCP_TWO_STAGE ? nk : 4 * nt);
}

// Replaces the dense arrays by arrays for problems of up to `row` rows, `nv` velocities and `n` unknowns. Their contents are lost. Refuses if the machine
// has less memory than the arrays need, even if the system would promise it: the matrix is dense, and all of it is used.
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
  return hfi_refuse(error, HF_ERROR_MEMORY, "mlcp: no %.3g GB for a dense problem of %d contacts and %d other rows; take another method",
                    1e-9 * (double)plan.used, (int)m->nc, (int)m->ns);
}

hfStatus hfi_mlcp_make_room(hfMlcp* m, hfError* error) {
  int nk = m->ns + m->nc, row = nk + 2 * m->nt;
  int64_t n = count_unknowns(&m->config, nk, m->nt);
  const hfiMlcpRoom* r = &m->room;
  if (row <= r->row && m->nv <= r->nv && n <= r->n) return HF_OK;
  if (row > r->row) row = imin2(row + row / 4, m->capacity.nrow);
  if (n > r->n) n += n / 4;
  return allocate_dense(m, imax2(row, r->row), imax2(m->nv, r->nv), n > r->n ? n : r->n, error);
}

static hfStatus check_config(const hfMlcpConfig* c, hfError* error) {
  if (c->form < 0 || c->form > HF_MLCP_DISSIPATION)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: form = %d: allowed is 0 to %d", c->form, HF_MLCP_DISSIPATION);
  if (c->method != HF_LCP_LEMKE && c->method != HF_LCP_DANTZIG)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: method = %d is neither Lemke (%d) nor Dantzig (%d)", c->method, HF_LCP_LEMKE, HF_LCP_DANTZIG);
  if (c->edges < 4 || c->edges > 32 || c->edges % 2) return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: edges = %d must be an even number from 4 to 32", c->edges);
  if (!(c->tikhonov >= 0 && c->recovery >= 0 && c->recovery <= 1 && c->tolerance > 0))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "mlcp: tikhonov = %g must not be negative, recovery = %g must be 0 to 1, tolerance = %g must be positive", c->tikhonov,
                      c->recovery, c->tolerance);
  return HF_OK;
}

hfStatus hf_mlcp_create(hfMlcp** out, const hfStepCapacity* capacity, const hfMlcpConfig* config, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_config(config, error);
  if (status != HF_OK) return status;
  hfMlcp seed = {.capacity = *capacity, .config = *config};
  hfMlcp* m = hfi_object_create(&seed, sizeof seed, take_arrays, &capacity->allocator, "mlcp", error);
  if (!m) return HF_ERROR_MEMORY;
  int row = imin2(capacity->nrow, PLANNED_ROWS), contacts = imin2(row / 3, capacity->nblock);
  status = allocate_dense(m, row, imin2(capacity->nv, PLANNED_DOFS), count_unknowns(config, row - 2 * contacts, contacts), error);
  if (status == HF_OK) *out = m;
  else hf_mlcp_free(m);
  return status;
}

void hf_mlcp_free(hfMlcp* m) {
  if (!m) return;
  hfi_release(m->room.memory);
  hfi_release(m);
}
