"""Where a CUDA toolkit is."""
import os
import re
import subprocess


def toolkit_of(nvcc):
    """The toolkit's root, by nvcc's own word: what is called may be a script elsewhere."""
    said = subprocess.run([nvcc, "-dryrun", "-E", "-x", "cu", os.devnull], capture_output=True, text=True).stderr
    top = re.search(r"^#\$ TOP=(.*)$", said, re.MULTILINE)
    return os.path.realpath(top.group(1) if top else os.path.dirname(os.path.dirname(os.path.realpath(nvcc))))
