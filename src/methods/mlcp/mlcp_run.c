// Solves the complementarity problem that a form of the rigid step wrote to an hfMlcp.
#include "methods/mlcp/inside.h"

#include "math/vec3.h"

double hfi_mlcp_mean_diagonal(const hfiMlcpRows* r) {
  double sum = 0;
  for (int i = 0; i < r->n; ++i) sum += r->G[i * r->n + i];
  return r->n ? sum / r->n : 1;
}

// Solves m->lcp with the options of the configuration. `tikhonov` is relative to the mean diagonal of G.
hfStatus hfi_mlcp_run(hfMlcp* m, int n, hfSolveReport* report, hfError* error) {
  hfiMlcpUnknowns* u = &m->lcp;
  hfLcp lcp = {n, u->A, u->b, u->lo, u->hi};
  hfLcpConfig config = hf_lcp_config_default();
  config.method = m->config.method;
  config.tikhonov = m->config.tikhonov * hfi_mlcp_mean_diagonal(&m->rows);
  config.tolerance = m->config.tolerance;

  hfLcpReport out;
  hfStatus status = hf_lcp_solve(&lcp, &config, u->z, NULL, u->work, m->room.work_size, &out, error);
  if (status < 0) return status;
  report->iterations += out.pivots;
  report->residual = max2(report->residual, out.residual);
  return status;
}
