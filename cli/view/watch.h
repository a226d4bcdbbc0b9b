// Notices when a scene file, or a file beside it that it may include, was written again.
#ifndef CLI_VIEW_WATCH_H
#define CLI_VIEW_WATCH_H

// A number that changes when one of the model files in the folder of `path` does.
unsigned long long watch_stamp(const char* path);

#endif
