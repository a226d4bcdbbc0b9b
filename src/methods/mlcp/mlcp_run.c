// Solves the complementarity problem that a form of the rigid step wrote to an hfMlcp.
#include "methods/mlcp/inside.h"

#include "math/vec3.h"

// The mean diagonal entry of G; 1 if there are no rows.
double hfi_mlcp_mean_diagonal(const hfiMlcpRows* rows) {
  double sum = 0;
  for (int i = 0; i < rows->n; ++i) sum += rows->G[i * rows->n + i];
  return rows->n ? sum / rows->n : 1;
}

// Solves mlcp->lcp with the options of the configuration. `tikhonov` is relative to the mean diagonal of G.
hfStatus hfi_mlcp_run(hfMlcp* mlcp, int n, hfSolveReport* report, hfError* error) {
  hfiMlcpUnknowns* unknowns = &mlcp->lcp;
  hfLcp lcp = {n, unknowns->A, unknowns->b, unknowns->lo, unknowns->hi};
  hfLcpConfig config = hf_lcp_config_default();
  config.method = mlcp->config.method;
  config.tikhonov = mlcp->config.tikhonov * hfi_mlcp_mean_diagonal(&mlcp->rows);
  config.tolerance = mlcp->config.tolerance;

  hfLcpReport out;
  hfStatus status = hf_lcp_solve(&lcp, &config, unknowns->z, NULL, unknowns->work, mlcp->room.work_size, &out, error);
  if (status < 0) return status;

  report->iterations += out.pivots;
  report->residual = max2(report->residual, out.residual);
  return status;
}
