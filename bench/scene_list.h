// The MJCF scenes of a folder and of the folders in it: files that no other one of them includes or attaches.
#ifndef HF_BENCH_SCENE_LIST_H
#define HF_BENCH_SCENE_LIST_H

typedef struct sceneList {
  char** path; // sorted
  int count;
  int skip; // a path without its first `skip` letters is relative to the folder
} sceneList;

// Returns 0, or -1 where the folder cannot be read or memory is short. In both cases scene_list_free may follow. `folder` may
// also be one file.
int scene_list_make(sceneList* list, const char* folder);
void scene_list_free(sceneList* list);

#endif
