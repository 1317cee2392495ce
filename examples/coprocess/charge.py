#!/usr/bin/env python3
"""One credit-charge serves many charges of a program. The standard library is all it needs.

Each line that is written gets one line back, a receipt or an error, once it is on disk."""

import json
import os
import subprocess
import tempfile


class Charges:
    """The books of a store: charges are counted once by their key."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["credit-charge", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def charge(self, account, key, model, **usage):
        request = {"account": account, "key": key, "model": model, "usage": usage}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("credit-charge has ended: repeat the same key")
        return json.loads(answer)

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
