/* Macros of a header without a region. */
#pragma once
#define LAUNCH_ROWS(K, rows_, ...) K<<<rows_, WIDTH>>>(__VA_ARGS__)
#define CEIL(n, b) (((n) + (b) - 1) / (b))
#define LAUNCH(K, G, B, ...) K<<<G, B, 0, stream>>>(__VA_ARGS__)
/* The string of its argument before and after macros are expanded. */
#define SHOW(launch)                                                                                                       \
	do {                                                                                                               \
		printf("%s: ", #launch);                                                                                   \
		launch;                                                                                                    \
	} while (0)
#define SHOWN(K, g, b) SHOW((K<<<g, b>>>(y, n)))
#define LAUNCH_CHECKED(K, ...)                                                                                             \
	do {                                                                                                               \
		printf("%s line %d count %d: ", #K, __LINE__, __COUNTER__);                                                \
		K __VA_ARGS__;                                                                                             \
	} while (0)
