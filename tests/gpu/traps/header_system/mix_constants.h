// Part of header_system.
#define MIX_A 3
#define MIX_B 4
#define BLOCK 128
