// Noise of sensors: x + sigma z, z normally distributed.
//
// z depends only on the seed, the bits of the time and the index of the number, so that the same state gives the same
// noise in any sim. A counter-based generator (the finaliser of splitmix64) makes two uniform numbers u1 and u2 of
// these, and Box and Muller's formula makes z:
//
//   z = sqrt(-2 log u1) cos(2 pi u2)
#include "math/elementary.h"
#include "sim/sensor.h"

#include <string.h>

// Spreads the bits of x over 64 bits (Steele, Lea, Flood 2014).
static uint64_t mix_bits(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// A uniformly distributed number in (0, 1].
static double uniform_number(uint64_t bits) { return (double)((bits >> 11) + 1) * 0x1p-53; }

// A normally distributed number for this place in the data.
static double normal_number(uint64_t key, int place) {
  uint64_t first = mix_bits(key ^ (uint64_t)(2 * place));
  uint64_t second = mix_bits(key ^ (uint64_t)(2 * place + 1));
  return sqrt(-2 * hfi_log(uniform_number(first))) * hfi_sine(2 * HFI_PI * uniform_number(second)).cos;
}

// Adds noise to the data (nsensordata) of all sensors; seed 0 means none.
void hfi_add_noise(const hfModel* m, int32_t seed, double time, double* data) {
  if (seed == 0) return;

  uint64_t time_bits;
  memcpy(&time_bits, &time, sizeof time_bits);
  uint64_t key = mix_bits(mix_bits(time_bits) ^ (uint64_t)seed);

  for (int s = 0; s < m->nsensor; ++s) {
    double sigma = hf_model_sensor_noise(m)[s];
    int first = hf_model_sensor_adr(m)[s];
    int end = first + hf_model_sensor_dim(m)[s];
    for (int i = first; sigma > 0 && i < end; ++i) data[i] += sigma * normal_number(key, i);
  }
}
