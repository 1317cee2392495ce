#!/usr/bin/env python3
"""One credit-charge serves many charges of a program. The standard library is all it needs.

Each line that is written gets one line back, a receipt or an error, once it is on disk. Any number of
threads may charge: one at a time writes its line and reads the answer."""

import json
import os
import subprocess
import tempfile
import threading


class Ended(Exception):
    """credit-charge has ended: whether it charged is unknown. Repeat the same key with new Charges."""


class Charges:
    """The books of a store: charges are counted once by their key."""

    def __init__(self):
        self.turn = threading.Lock()
        self.process = subprocess.Popen(
            ["credit-charge", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def charge(self, account, key, model, **usage):
        request = {"account": account, "key": key, "model": model, "usage": usage}
        with self.turn:
            try:
                self.process.stdin.write(json.dumps(request) + "\n")
                self.process.stdin.flush()
                line = self.process.stdout.readline()
            except (OSError, ValueError) as reason:
                raise Ended(key) from reason
            if not line.endswith("\n"):
                raise Ended(key)
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


with tempfile.TemporaryDirectory() as folder:
    os.environ["CREDIT_STORE"] = folder + "/store"
    subprocess.run(["credit-store", "init", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    charges = Charges()
    for key in ["call-1", "call-2", "call-2"]:
        receipt = charges.charge("ana", key, "gpt-4o", inputTokens=900, outputTokens=300)
        print(receipt["newBalance"], "replayed" if receipt.get("replayed") else "charged")
    error = charges.charge("ana", "call-3", "gpt-99", inputTokens=1, outputTokens=1)
    print(error["error"]["code"], error["error"]["status"])
    # The exit status is that of the first request that failed: 12, an unknown model.
    print(charges.close())
