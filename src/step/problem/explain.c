// The texts of refusals that concern a step problem. No step calls this: it is for those who solve a problem alone, and
// for sim/explain.c.
#include "step/problem/trouble.h"

#include "base/error.h"

static const char* const COUNT_NAMES[HFI_COUNTS] = {
    [HFI_COUNT_DOFS] = "dofs",
    [HFI_COUNT_TREES] = "trees",
    [HFI_COUNT_BLOCKS] = "blocks",
    [HFI_COUNT_ROWS] = "rows",
    [HFI_COUNT_PIECES] = "pieces",
    [HFI_COUNT_COLUMNS] = "columns",
    [HFI_COUNT_ENTRIES] = "entries of J",
    [HFI_COUNT_TREE_DOFS] = "dofs in one tree",
};

// Writes the text of a refusal that concerns a step problem alone. Returns the status of the refusal.
hfStatus hfi_explain_problem(const hfiTrouble* t, hfError* error) {
  switch (t->kind) {
  case HFI_TROUBLE_TREE:
    return hfi_refuse(error, t->status, "tree %d: mass matrix, momentum or velocity is not finite", t->id);
  case HFI_TROUBLE_BLOCK:
    return hfi_refuse(error, t->status, "block %d on tree %d: Jacobian or law is not finite", t->id, t->number);
  case HFI_TROUBLE_LENGTH:
    return hfi_refuse(error, t->status, "step problem: h is not finite");
  case HFI_TROUBLE_CAPACITY:
    return hfi_refuse(error, t->status, "the problem has %d %s, the solver's capacity is %d", t->number,
                      COUNT_NAMES[t->id], t->room);
  case HFI_TROUBLE_ISLAND:
    return hfi_refuse(error, t->status, "an island of %d coupled trees needs more memory than was planned", t->id);
  case HFI_TROUBLE_VELOCITY: // sim/explain.c names the body
  case HFI_TROUBLE_NONE: break;
  }

  return t->status;
}
