#ifndef OWN_CUDA_H
#define OWN_CUDA_H
#define OWN_THREADS 96
#endif
