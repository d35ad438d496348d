// Not in the roots, like a macro of the standard library.
#define BOTH(one, other) ((one) && (other))
#define IS_POSITIVE(value) ((value) > 0)
