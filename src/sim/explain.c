// The texts of refusals that leave a step as data (step/problem/trouble.h).
#include "sim/inside.h"

#include "base/error.h"
#include "base/finite.h"
#include "model/object.h"

// Writes the text of a refusal into *error and returns the status of the refusal. The sim's own is a velocity that is
// not finite; all others are explained where the step problem is.
hfStatus hfi_sim_explain(const hfSim* s, const hfiTrouble* trouble, hfError* error) {
  if (trouble->kind != HFI_TROUBLE_VELOCITY) return hfi_explain_problem(trouble, error);

  int body = hf_model_dof_body(s->model)[hf_model_tree_dofadr(s->model)[trouble->id]];
  return hfi_refuse(error, trouble->status,
                    "tree %d: the velocity of %s is not finite or above %g at the end of the step", trouble->id,
                    hfi_model_label(s->model, HF_OBJECT_BODY, body).text, hfi_largest_speed);
}
