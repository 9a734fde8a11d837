#!/usr/bin/env python3
"""Runs the attacks of the modules in this folder: attacks.py KTCC NVCC FOLDER INPUTS RECORDING MODULE..."""
import importlib
import sys

from harness import Suite

for module in sys.argv[6:]:
    importlib.import_module(module)
sys.exit(0 if Suite(*sys.argv[1:6]).run_all(sys.argv[6:]) else 1)
