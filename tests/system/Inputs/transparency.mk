NVCC = /usr/local/cuda/bin/nvcc

all: one.o two.o

one.o: one.cu
	$(NVCC) -arch=sm_90 -MD -MT $@ -MF one.d -c $< -o $@

two.o:
	cd . && $(NVCC) -forward-unknown-to-host-compiler --options-file two.rsp -DNAME="a b" -DTEXT=\"$$PWD\" -Wextra -arch=sm_90 \
	  -dc "two words.cu" -o=two.o
