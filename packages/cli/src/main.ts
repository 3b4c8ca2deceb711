#!/usr/bin/env node
// The signalbox command.
import { nodeIo } from './node-io.ts'
import { run } from './run.ts'

const io = nodeIo()
// A reader that stops early, such as head, is no failure.
process.stdout.on('error', () => process.exit(0))
const code = await run(process.argv.slice(2), io)
await io.flush()
process.exitCode = code
