#!/usr/bin/env node
// One credit-charge serves many charges of a program. The standard library is all it needs.
// Each line that is written gets one line back, a receipt or an error, once it is on disk.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';

class Charges {
  constructor() {
    this.process = spawn('credit-charge', ['--quiet'], { stdio: ['pipe', 'pipe', 'inherit'] });
    // If the process has ended, the end of its answers is reported instead.
    this.process.stdin.on('error', () => {});
    this.answers = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async charge(account, key, model, usage) {
    this.process.stdin.write(JSON.stringify({ account, key, model, usage }) + '\n');
    const { value, done } = await this.answers.next();
    if (done) throw new Error('credit-charge has ended: repeat the same key');
    return JSON.parse(value);
  }

  close() {
    return new Promise((resolve) => {
      this.process.on('close', resolve);
      this.process.stdin.end();
    });
  }
}

const folder = mkdtempSync(`${tmpdir()}/charges-`);
try {
  process.env.CREDIT_STORE = `${folder}/store`;
  execFileSync('credit-store', ['init']);
  const charges = new Charges();
  for (const key of ['call-1', 'call-2', 'call-2']) {
    const receipt = await charges.charge('ana', key, 'gpt-4o', { inputTokens: 900, outputTokens: 300 });
    console.log(receipt.newBalance, receipt.replayed ? 'replayed' : 'charged');
  }
  const { error } = await charges.charge('ana', 'call-3', 'gpt-99', { inputTokens: 1, outputTokens: 1 });
  console.log(error.code, error.status);
  // The exit status is that of the first request that failed: 12, an unknown model.
  console.log(await charges.close());
} finally {
  rmSync(folder, { recursive: true });
}
