// Nothing: the source for which CMake builds the precompiled header that all test programs reuse.
