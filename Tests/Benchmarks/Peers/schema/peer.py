"""Checks bodies with PyPI's jsonschema-rs and orjson. Reads lines "FILE COUNT", answers with the CPU time of a check in microseconds."""
import sys
import time

import jsonschema_rs
import orjson

with open(f"{sys.argv[1]}/order.json", "rb") as file:
    validator = jsonschema_rs.validator_for(orjson.loads(file.read()))
bodies = {}
for line in sys.stdin:
    path, count = line.split()
    if path not in bodies:
        with open(path, "rb") as file:
            bodies[path] = file.read()
    body = bodies[path]
    accepted = 0
    start = time.process_time()
    for _ in range(int(count)):
        accepted += validator.is_valid(orjson.loads(body))
    used = time.process_time() - start
    print(1e6 * used / int(count), "true" if accepted == int(count) else "false", flush=True)
