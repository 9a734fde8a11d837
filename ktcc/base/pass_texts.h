/*
 * The passes in words: what each does, what a kernel needs for it, and the parameters that it makes. `ktcc explain
 * --analysis` has a line from here for each pass that a template is without, and docs/parameters.md is made from it.
 */
#ifndef KT_BASE_PASS_TEXTS_H
#define KT_BASE_PASS_TEXTS_H

/*
 * X(name, generator, does, needs, notes): a row for each of KT_PASSES, in that order. `notes`: parts of what the analysis
 * notes on a line where it found why, separated by "|"; "": it notes nothing about this pass.
 */
#define KT_PASS_TEXTS(X) \
	X("bins", "ir", "a block adds to copies of a small buffer before an atomic", "atomics without a result on a buffer of few elements that the kernel does nothing else to", "") \
	X("block_size", "ir", "blocks of another size", "threads that do not exchange values, in blocks of a constant size", "") \
	X("blocks", "ir", "one block does the work of several", "blocks that exchange nothing with each other", "") \
	X("bounds", "rules", "room for more threads in a multiprocessor, with fewer registers for each", \
	  "CUDA, and a block whose size is a parameter", "") \
	X("cache_hints", "rules", "what is touched once passes by the caches", "CUDA, and vector accesses (`vectorize`)", "") \
	X("cluster", "rules", "blocks of a cluster share a row", \
	  "CUDA, one row for each block with a sum, product, maximum or minimum over it, and loops of which none needs what another thread wrote", "") \
	X("coarsen", "rules", "a thread takes more rows, or more groups of elements", "one loop over all elements with vector accesses (`vectorize`), or rows that are distributed along y", "") \
	X("combine", "ir", "a warp or a block adds up before an atomic", "atomics without a result on a place that a whole block shares", "") \
	X("constants", "rules", "sizes and strides become constants of the variant", \
	  "an argument with one value on all problems, or rows of whole aligned groups on all of two problems or more", "") \
	X("divide", "rules", "divisions by one number become products", "CUDA, and many divisions of halves or integers by one number", "") \
	X("fast_math", "rules", "approximate divisions and functions of the device", \
	  "CUDA, such a division or function, and outputs with a tolerance", "no fast math: ") \
	X("fuse", "rules", "kernels of a launch region become one", "a launch region of several kernels, whose blocks have separate rows", "") \
	X("geometry", "rules", "other numbers of threads and blocks", "a loop that is distributed over threads, blocks or both", "") \
	X("hoist", "rules", "what is the same for a group of elements is computed once", "a quotient of the index in a loop with vector accesses", "") \
	X("items", "ir", "a thread does several work items along x", "threads that do not exchange values", "") \
	X("items_y", "ir", "a thread does several work items along y", "threads that do not exchange values, and a grid with a y", "") \
	X("items_z", "ir", "a thread does several work items along z", "threads that do not exchange values, and a grid with a z", "") \
	X("launch_bounds", "ir", "room for more threads in a multiprocessor, with fewer registers for each", \
	  "a block of constant size, and no launch bounds in the source", "") \
	X("loop_unroll", "ir", "iterations are written out", "a loop without a loop in it", "") \
	X("loop_vector", "ir", "a loop of one thread loads several elements at once", \
	  "a loop of one thread along adjacent elements, which only computes, loads and stores", "") \
	X("narrow", "rules", "a vector loop counts in 32 bits", "a vector loop with an index of 64 bits that is divided", "") \
	X("parts", "rules", "the loop of a work item is distributed over several threads", \
	  "CUDA, one thread for each work item, and a loop in it that only adds up or writes separate places", "") \
	X("patch", "rules", "a thread takes neighbouring work items", "one thread for each work item, without an order among them", "") \
	X("privatize", "rules", "a block counts in shared memory", "CUDA, and integers that a loop only adds to a small array", "") \
	X("product", "ir", "tiles in registers and shared memory", \
	  "a loop that combines what depends on x with what depends on y, as a product of matrices does", "") \
	X("read_only", "ir", "inputs are loaded through the read-only cache", \
	  "an input that the compiler does not know to be read-only: declare it by in(…)", "") \
	X("restrict", "rules", "arguments are known not to overlap", "CUDA, and guards that another pass needs or EVEN", "") \
	X("row_cache", "rules", "a row stays in registers between loops", "CUDA, and several loops over one row, of which each thread moves the same elements", "") \
	X("shuffle", "rules", "a tree in shared memory becomes shuffles", "a sum, product, maximum or minimum of a block in shared memory", "") \
	X("stride", "ir", "more steps of a loop over threads, and other blocks", "a loop from the thread's index in steps of all threads of a block or grid", "") \
	X("team", "ir", "threads share the loop of a work item", "a loop of one thread for its work item, whose iterations can be combined", "") \
	X("tile", "rules", "loads go through tiles in shared memory", "loads that move along another index than the stores", "") \
	X("unroll", "rules", "several iterations of a thread's own loop at once", "CUDA, a loop of one thread in a kernel without shared memory, whose work items `patch` does not take together", "") \
	X("unstage", "ir", "what is kept in shared memory is loaded again", "shared memory that only keeps what each thread could compute again", "") \
	X("vectorize", "rules", "wide loads and stores", \
	  "a loop distributed over threads, in which accesses go along adjacent elements and cannot overlap with what is written", \
	  "no vector access: |is not contiguous here|elements an iteration|may overlap with what the loop writes") \
	X("warp_row", "rules", "a row for each warp, several in a block", "CUDA, a row for each block with a sum, product, maximum or minimum over it, and no thread that waits for another warp", "")

/* X(pass, parameter, meaning, values): in the order of passes. `values`: all that may be among those of a template. */
#define KT_PASS_PARAMETERS(X) \
	X("bins", "BINS", "copies of a buffer of few elements that a block adds to in shared memory; 0: none", "0, 1, 2, 4, 8") \
	X("block_size", "BLOCK", "threads of a block, along x where it has several dimensions", "the constant size, and 32 to 1024") \
	X("block_size", "BLOCK_Y", "threads of a block along y", "the constant size, and 1 to 1024") \
	X("block_size", "BLOCK_Z", "threads of a block along z", "the constant size, and 1 to 64") \
	X("blocks", "BLOCKS", "blocks whose work one block does, one after the other", "1, 2, 4, 8; with `bins` 1, 4, 16, 64") \
	X("bounds", "RESIDENT", "threads that a multiprocessor must have registers for; 0: as the compiler likes", "0, 1024, 2048") \
	X("cache_hints", "STREAM", "elements that are touched once pass by the caches: 1 when stored, 2 when loaded too", "0, 1, 2") \
	X("cluster", "CLUSTER", "blocks that share a row, and combine their values in each other's shared memory", "1, 2, 4, 8") \
	X("coarsen", "ROWS", "rows of a thread", "1, 2, 4, 8") \
	X("combine", "COMBINE", "atomics to one place: 0: unchanged, 1: one for each warp, 2: one for each block", "0, 1, 2") \
	X("constants", "EVEN", "1: alignment and whole groups are tested before the launch, and not in the kernel", "0, 1") \
	X("constants", "FIX", "1: sizes that are the same on all problems are constants", "0, 1") \
	X("divide", "RECIPROCALS", "1: a thread computes once what quotients of its indices are products with", "0, 1") \
	X("fast_math", "FAST", "1: divisions, exponentials and their like by the device's approximations", "0, 1") \
	X("geometry", "BESIDE", "1: the launch order has blocks that share a row next to each other", "0, 1") \
	X("geometry", "BLOCK", "threads of a block", "32, 64, 128, 256, 512, 1024") \
	X("geometry", "BLOCK_X", "threads of a block along x, where rows are distributed along y", "8, 16, 32, 64, 128, 256, 512") \
	X("geometry", "BLOCK_Y", "threads of a block along y, where rows are distributed along y", "1, 2, 4, 8, 16, 32") \
	X("geometry", "SPLIT", "blocks that share a row; 0: as many as leave each thread one iteration", "0, 1, 2, 4, 8") \
	X("geometry", "WAVES", "most blocks, in what all multiprocessors hold at once; 0: as many as there is work", "0, 1, 2, 4") \
	X("items", "ITEMS", "work items of a thread along x", "1, 2, 4, 8") \
	X("items", "SPREAD", "0: work items of a thread are neighbours, 1: one grid is between them", "0, 1") \
	X("items", "VECTOR", "1: neighbours are loaded and stored as vectors, where pointers are aligned", "0, 1") \
	X("items_y", "ITEMS_Y", "work items of a thread along y", "1, 2, 4, 8") \
	X("items_z", "ITEMS_Z", "work items of a thread along z", "1, 2, 4, 8") \
	X("launch_bounds", "RESIDENT", "threads that a multiprocessor must have registers for; 0: as in the original", "0, 1024, 1536, 2048") \
	X("loop_unroll", "UNROLL", "iterations of the first loop that are written out; UNROLL2, UNROLL3: of the next ones; 0: as in the original", \
	  "0, 1, 2, 4, 8") \
	X("loop_vector", "LOOP_VECTOR", "elements that the loop of one thread loads at once", "1, 2, 4") \
	X("narrow", "NARROW", "1: the vector loop counts in 32 bits", "0, 1") \
	X("parts", "LANES", "threads of a warp over which the loops of a work item are distributed", "1, 32") \
	X("parts", "PARTS", "threads over which the loop of a work item is distributed", "1, 4, 8, 16, 32") \
	X("patch", "ALONG", "elements that an inner loop reads in one access", "1, 2, 4, 8, 16") \
	X("patch", "STEPS", "iterations of an inner loop at a time", "1, 4, 8") \
	X("patch", "VEC", "neighbouring work items of a thread", "1, 2, 4, 8") \
	X("privatize", "PRIVATE", "copies of the array that a block counts in; 0: none", "0, 1, 2, 4, 8") \
	X("product", "AHEAD", "1: the next piece is loaded while the present one is computed with", "0, 1") \
	X("product", "BK", "iterations whose data is in shared memory at a time", "multiples of what an iteration takes") \
	X("product", "BX", "threads of a block along x", "8, 16") \
	X("product", "BY", "threads of a block along y", "4, 8, 16") \
	X("product", "TM", "rows of a thread; 0: no tiles", "0, 1, 2, 4, 8") \
	X("product", "TN", "columns of a thread", "1, 2, 4, 8") \
	X("read_only", "READ_ONLY", "1: inputs are loaded through the read-only data cache", "0, 1") \
	X("row_cache", "AHEAD", "1: the first loop of a row loads what only later loops need", "0, 1") \
	X("row_cache", "TURNS", "vectors of a row that a thread keeps in registers; 0: rows are read again", "0, 1, 2, 4, 8") \
	X("stride", "BLOCK", "threads of a block", "64, 128, 256, 512, 1024") \
	X("stride", "STEPS", "iterations of a thread at a time", "1, 2, 4, 8") \
	X("stride", "STEP_SPREAD", "0: iterations of a thread are neighbours, 1: all threads are between them", "0, 1") \
	X("stride", "STEP_VECTOR", "1: neighbours are loaded and stored as vectors, where pointers are aligned", "0, 1") \
	X("stride", "WAVES", "most blocks, in what all multiprocessors hold at once; 0: as in the original", "0, 1, 2, 4, 8") \
	X("team", "TEAM", "threads that share the loop of a work item", "1, 2, 4, 8, 16, 32, 64, 128, 256") \
	X("team", "TEAM_WIDTH", "neighbouring work items of a block; 1: any", "1, 8, 32") \
	X("tile", "TILE", "side of a tile in shared memory, or of squares of work items; 0: none", "0, 4, 8, 16, 32, 64") \
	X("tile", "VEC", "elements of one memory access", "1, 2, 4, 8, 16") \
	X("unroll", "ALONG", "elements of one access of a thread's own loop", "1, 2, 4, 8, 16") \
	X("unroll", "INNER", "iterations of a thread's own loop in one; 0: as the compiler likes", "0, 4, 8, 16, 32") \
	X("unstage", "UNSTAGE", "1: what is kept in shared memory is loaded again", "0, 1") \
	X("vectorize", "UNROLL", "vectors of one iteration", "1, 2, 4") \
	X("vectorize", "VEC", "elements of one memory access", "1, 2, 4, 8, 16") \
	X("warp_row", "ROWS", "rows of a block, a warp for each", "1, 2, 4, 8, 16")

#endif
