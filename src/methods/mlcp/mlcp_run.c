// Solves the complementarity problem that a form of the rigid step wrote to an hfMlcp.
#include "methods/mlcp/mlcp.h"

#include "math/vec3.h"

double hfi_mlcp_mean_diagonal(const hfMlcp* m) {
  double sum = 0;
  for (int i = 0; i < m->n; ++i) sum += m->G[i * m->n + i];
  return m->n ? sum / m->n : 1;
}

hfStatus hfi_mlcp_run(hfMlcp* m, int n, hfSolveReport* report, hfError* error) {
  hfLcp lcp = {n, m->lcp_A, m->lcp_b, m->lcp_lo, m->lcp_hi};
  hfLcpConfig config = hf_lcp_config_default();
  hfLcpReport out;
  config.method = m->config.method;
  config.tikhonov = m->config.tikhonov * hfi_mlcp_mean_diagonal(m);
  config.tolerance = m->config.tolerance;
  hfStatus status = hf_lcp_solve(&lcp, &config, m->z, NULL, m->work, m->room.work_size, &out, error);
  if (status < 0) return status;
  report->iterations += out.pivots;
  report->residual = max2(report->residual, out.residual);
  return status;
}
