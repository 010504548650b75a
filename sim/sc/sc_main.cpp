int sc_main(int argc, char** argv);

// SystemC's library refers to it even where the program has a main of its own. Alone in its object, so that programs
// with an sc_main link theirs.
int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
