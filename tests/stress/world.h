// Random worlds as MJCF text, the same for the same seed on every machine, so that another engine can run the same files.
#ifndef HF_TESTS_STRESS_WORLD_H
#define HF_TESTS_STRESS_WORLD_H

#include <stddef.h>
#include <stdint.h>

// What a world is made to attack.
typedef enum worldClass {
  WORLD_SPINNING, // trees of all joints at high speeds, which nothing touches or drives
  WORLD_DRIVEN,   // the same with stiff servos, springs and limits
  WORLD_TOUCHING, // bodies of all shapes that fall, spin, overlap and touch
  WORLD_TIED,     // trees closed to loops by equalities and tendons, some of them violated at the start
  WORLD_MIXED,    // all of these together
  WORLD_CLASSES
} worldClass;

const char* world_class_name(int of_class);
// The class of the world with this seed: the classes take turns.
int world_class(uint64_t seed);
// Writes the world with this seed into text (of `capacity` bytes, terminated). Its keyframe 0 is the start.
// Returns the length.
size_t world_write(uint64_t seed, char* text, size_t capacity);

// Sensors of every joint with limits, in a row: distance from the nearer limit, its rate, and the force of the limit. Behind them a world has a clock only.
enum { WORLD_LIMIT_SENSORS = 3 };
enum { WORLD_TEXT = 1 << 17 }; // Bytes that every world fits into.

#endif
