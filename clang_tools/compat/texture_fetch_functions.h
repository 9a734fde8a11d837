/*
 * Empty on purpose. Clang up to 21 includes a header of this name from the
 * CUDA toolkit; toolkits from 13 on have none.
 */
