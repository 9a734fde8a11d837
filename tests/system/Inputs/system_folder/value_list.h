/* The own one: it has no guard. */
static inline int listed(int a);
