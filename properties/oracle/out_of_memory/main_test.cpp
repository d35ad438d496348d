// The program's main by another name, beside that of GoogleTest.
#define main backoff_oracle_main
#include "oracle/main.cpp"
