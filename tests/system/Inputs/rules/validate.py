#!/usr/bin/env python3
"""validate.py SCHEMA FILE…: each FILE is one JSON value that the schema allows."""
import json
import sys

import jsonschema

for path in sys.argv[2:]:
    jsonschema.validate(json.load(open(path)), json.load(open(sys.argv[1])))
