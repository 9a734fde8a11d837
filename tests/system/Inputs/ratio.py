"""ratio.py LEAST PLAIN TUNED: compares the first GFLOP/s line of two outputs and prints the ratio."""
import re
import sys


def rate(path):
    return float(re.search(r"([0-9.]+) GFLOP/s", open(path).read()).group(1))


least, plain, tuned = float(sys.argv[1]), rate(sys.argv[2]), rate(sys.argv[3])
print(f"plain {plain} GFLOP/s, tuned {tuned} GFLOP/s, ratio {tuned / plain:.1f}")
sys.exit(tuned / plain < least)
