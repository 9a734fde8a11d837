import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import lit_settings

lit_settings.configure(config, "golden", [".cl", ".cu", ".test"])
