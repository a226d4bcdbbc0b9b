// Step problems as text files.
//
// A file has a header line, the step h and the number of rows, then one section for each array: a line with its name
// and length, then one line for each element, floating-point members first. 17 significant digits give every double
// back bit for bit; bounds may be inf. Readers skip empty lines and lines that begin with #. The last section, drift,
// exists only if some surface moves.
//
// P: the problem, s: a section, n: lengths, r: the reader of the text.
#include <holdfast/step_problem.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char header[] = "holdfast-step-problem 1";

// One array of the problem. An element consists of `reals` doubles, then `ints` 32-bit integers.
typedef struct section {
  const char* name;
  void** array;   // the field of the problem that points to it
  int32_t* count; // the field of the problem that gives its length
  int32_t extra;  // number of elements beyond *count
  int reals, ints;
  size_t stride;
} section;

enum { SECTIONS = 13, CONTACT_REALS = 21 };

_Static_assert(sizeof(hfContactLaw) == CONTACT_REALS * sizeof(double) + 2 * sizeof(int32_t), "contact layout");
_Static_assert(sizeof(hfSaturatedRow) == 4 * sizeof(double), "row layout");
_Static_assert(sizeof(hfStepBlock) == 6 * sizeof(int32_t), "block layout");
_Static_assert(sizeof(hfStepPiece) == 4 * sizeof(int32_t), "piece layout");

// Lengths of arrays that the problem does not store.
typedef struct lengths {
  int32_t M, drift;
} lengths;

// Lists the sections in the order of the file: name, array, length, elements beyond this length, then of an element the
// floating-point members, the whole numbers and the bytes.
static void list_sections(hfStepProblem* P, lengths* n, section* list) {
  const section all[SECTIONS] = {
      // trees
      {"tree_start", (void**)&P->tree_start, &P->ntree, 1, 0, 1, sizeof(int32_t)},
      {"M_start", (void**)&P->M_start, &P->ntree, 1, 0, 1, sizeof(int32_t)},
      {"M", (void**)&P->M, &n->M, 0, 1, 0, sizeof(double)},
      {"diag", (void**)&P->diag, &P->nv, 0, 1, 0, sizeof(double)},
      {"p", (void**)&P->p, &P->nv, 0, 1, 0, sizeof(double)},
      {"v0", (void**)&P->v0, &P->nv, 0, 1, 0, sizeof(double)},

      // blocks and their Jacobians
      {"block", (void**)&P->block, &P->nblock, 0, 0, 6, sizeof(hfStepBlock)},
      {"piece", (void**)&P->piece, &P->npiece, 0, 0, 4, sizeof(hfStepPiece)},
      {"cols", (void**)&P->cols, &P->ncol, 0, 0, 1, sizeof(int32_t)},
      {"J", (void**)&P->J, &P->njac, 0, 1, 0, sizeof(double)},

      // laws
      {"saturated", (void**)&P->saturated, &P->nsaturated, 0, 4, 0, sizeof(hfSaturatedRow)},
      {"contact", (void**)&P->contact, &P->ncontact, 0, CONTACT_REALS, 1, sizeof(hfContactLaw)},
      {"drift", (void**)&P->drift, &n->drift, 0, 1, 0, sizeof(double)},
  };
  memcpy(list, all, sizeof all);
}

// ---- writing -------------------------------------------------------------------------------------

// Writes a line with the numbers of an element.
static void write_element(hfiOutput* file, const section* s, const char* element) {
  const double* real = (const double*)(const void*)element;
  for (int i = 0; i < s->reals; ++i) hfi_output_print(file, "%s%.17g", i ? " " : "", real[i]);

  element += (size_t)s->reals * sizeof(double);
  const int32_t* whole = (const int32_t*)(const void*)element;
  for (int i = 0; i < s->ints; ++i) hfi_output_print(file, "%s%d", i || s->reals ? " " : "", whole[i]);

  hfi_output_print(file, "\n");
}

// Writes a problem to a file.
hfStatus hf_step_problem_write(const hfStepProblem* problem, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfStepProblem P = *problem;
  lengths n = {P.M_start[P.ntree], P.drift ? P.nrow : 0};
  section list[SECTIONS];
  list_sections(&P, &n, list);

  hfiOutput file;
  hfStatus status = hfi_output_open(&file, path, HFI_OUTPUT_WHOLE, error);
  if (status != HF_OK) return status;

  int sections = P.drift ? SECTIONS : SECTIONS - 1;
  hfi_output_print(&file, "%s\nh %.17g\nnrow %d\n", header, P.h, P.nrow);
  for (int i = 0; i < sections; ++i) {
    int32_t count = *list[i].count + list[i].extra;
    hfi_output_print(&file, "%s %d\n", list[i].name, count);
    for (int32_t k = 0; k < count; ++k)
      write_element(&file, list + i, (const char*)*list[i].array + (size_t)k * list[i].stride);
  }
  return hfi_output_close(&file, error);
}

// ---- reading -------------------------------------------------------------------------------------

// Reads a line with the numbers of an element.
static hfStatus read_element(hfiTextReader* r, const section* s, char* element) {
  if (!hfi_text_next_line(r)) return HFI_MALFORMED(r, "%s:%d: file ends in \"%s\"", r->path, r->line, s->name);

  hfStatus status = HF_OK;
  for (int i = 0; i < s->reals && !status; ++i) status = hfi_text_real(r, (double*)(void*)element + i);

  element += (size_t)s->reals * sizeof(double);
  for (int i = 0; i < s->ints && !status; ++i) status = hfi_text_int(r, (int32_t*)(void*)element + i);

  return status ? status : hfi_text_end_line(r);
}

// Reads the lines before the first section.
static hfStatus read_header(hfiTextReader* r, hfStepProblem* P) {
  hfStatus status = hfi_text_expect(r, header);
  if (!status) status = hfi_text_end_line(r);
  if (!status) status = hfi_text_expect(r, "h");
  if (!status) status = hfi_text_real(r, &P->h);
  if (!status) status = hfi_text_end_line(r);
  return status ? status : hfi_text_count(r, "nrow", &P->nrow);
}

// Reads the length of section i after its name. It must not exceed what the file can contain, and must agree with
// earlier sections of the same count.
static hfStatus read_length(hfiTextReader* r, const section* list, int i) {
  const section* s = list + i;
  int32_t count = 0;
  hfStatus status = hfi_text_int(r, &count);
  if (!status) status = hfi_text_end_line(r);
  if (status) return status;

  int is_valid = count >= s->extra && (size_t)count <= r->size / 2;
  for (int j = 0; j < i; ++j)
    if (list[j].count == s->count && *s->count != count - s->extra) is_valid = 0;
  if (!is_valid)
    return HFI_MALFORMED(r, "%s:%d: \"%s\" cannot have %d elements", r->path, r->line, s->name, count);
  *s->count = count - s->extra;
  return HF_OK;
}

// Reads all sections. A first pass over an arena without memory counts; the second one stores.
static hfStatus read_sections(hfiTextReader* r, hfStepProblem* P, section* list, hfiArena* arena) {
  hfStatus status = read_header(r, P);
  for (int i = 0; i < SECTIONS && !status; ++i) {
    int is_missing = 0;
    int may_be_missing = i == SECTIONS - 1;
    if (may_be_missing)
      status = hfi_text_expect_or_end(r, list[i].name, &is_missing);
    else
      status = hfi_text_expect(r, list[i].name);
    if (is_missing) return HF_OK;
    if (!status) status = read_length(r, list, i);
    if (status) return status;

    int32_t count = *list[i].count + list[i].extra;
    char scratch[sizeof(hfContactLaw)] = {0};
    char* array = hfi_arena_take(arena, (size_t)count, list[i].stride);
    *list[i].array = array;
    for (int32_t k = 0; k < count && !status; ++k)
      status = read_element(r, list + i, array ? array + (size_t)k * list[i].stride : scratch);
  }
  return status ? status : hfi_text_expect_end(r);
}

// Reads a problem, and compares lengths that stand in it twice.
static hfStatus read_problem(hfiTextReader* r, void* object, hfiArena* arena) {
  hfStepProblem* P = object;
  lengths n = {0, 0};
  section list[SECTIONS];
  list_sections(P, &n, list);

  hfStatus status = read_sections(r, P, list, arena);
  if (!status && P->M_start && P->M_start[P->ntree] != n.M)
    status = HFI_MALFORMED(r, "%s: M has %d elements, its trees %d", r->path, n.M, P->M_start[P->ntree]);
  if (!status && P->drift && n.drift != P->nrow)
    status = HFI_MALFORMED(r, "%s: drift has %d elements, there are %d rows", r->path, n.drift, P->nrow);
  return status;
}

static hfStatus check_problem(const void* object, hfError* error) { return hf_step_problem_validate(object, error); }

// Reads a problem from a file, and refuses one that is not valid.
hfStatus hf_step_problem_read(hfStepProblem** problem, const char* path, hfError* error) {
  hfi_clear_error(error);
  void* read = NULL;
  hfStatus status = hfi_text_read(path, sizeof **problem, read_problem, check_problem, &read, error);
  if (!status) *problem = read;
  return status;
}

void hf_step_problem_free(hfStepProblem* problem) { free(problem); }
