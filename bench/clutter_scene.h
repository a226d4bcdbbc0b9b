// Scenes of clutter: n bodies of six shapes above a bin, as MJCF.
#ifndef HF_BENCH_CLUTTER_SCENE_H
#define HF_BENCH_CLUTTER_SCENE_H

// Writes the scene to a file. `options` are attributes of <option>, `flags` attributes of <flag>. The seed decides shapes,
// sizes and orientations. Returns 0, or -1 where the file cannot be written.
int clutter_scene_write(const char* path, int bodies, unsigned seed, const char* options, const char* flags);

#endif
