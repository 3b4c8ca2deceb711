#!/usr/bin/env node
import os from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { nodeIo } from './base/node-io.ts'
import { run } from './run.ts'

const io = nodeIo()
// A reader that stops early, such as head, is not a failure.
process.stdout.on('error', () => process.exit(0))
// A daemon outlives the reader of its messages, because the agents that it guards do not.
process.stderr.on('error', () => {})
function stopSignal(): AbortSignal {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  return stopped.signal
}
const code = await run(process.argv.slice(2), io, {
  env: process.env,
  cwd: process.cwd(),
  home: os.homedir(),
  node: process.execPath,
  entry: fileURLToPath(import.meta.url),
  stopSignal,
  readInput: () => text(process.stdin),
})
await io.flush()
// A call that waits for a reviewer would keep a stopped daemon alive.
process.exit(code)
