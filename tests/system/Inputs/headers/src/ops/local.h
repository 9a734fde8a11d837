#pragma once
inline int blocks(int n, int block) { return (n + block - 1) / block; }
