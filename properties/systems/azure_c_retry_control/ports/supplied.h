/* Included before lib/c99/azure_c_retry_control.c: memory and random numbers, as the oracle scripts them. */
#include <stdlib.h>

void* supplied_malloc(size_t size);
void supplied_free(void* memory);
int supplied_rand(void);

#define malloc supplied_malloc
#define free supplied_free
#define rand supplied_rand
