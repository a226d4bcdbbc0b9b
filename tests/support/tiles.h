// A floor of tiles of 5 cm along x, with tops at z = 0 but for a step, and a body on it.
#ifndef HF_TESTS_TILES_H
#define HF_TESTS_TILES_H

#include <stdio.h>

// Tiles from x = -0.25 m on, `count` of them; those from number `raised_from` on are higher by `step` [m]. tile: shape of their geoms, 4 cm thick.
// body: its attributes and geoms.
static inline void write_tiles(char* xml, size_t size, const char* tile, int count, int raised_from, double step, const char* attributes, const char* body) {
  int n = snprintf(xml, size,
                   "<mujoco><asset><mesh name='tile' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1' scale='.025 .2 .02'/></asset>"
                   "<worldbody>");
  for (int k = -5; k < count - 5; ++k)
    n += snprintf(xml + n, size - (size_t)n, "<geom %s pos='%g 0 %g' friction='0'/>", tile, 0.05 * k, k < raised_from ? -0.02 : -0.02 + step);
  snprintf(xml + n, size - (size_t)n, "<body %s><freejoint/>%s</body></worldbody></mujoco>", attributes, body);
}

#endif
