// Run by crash.test.ts: keeps a journal until it is killed, and prints a line for each call that it was allowed.
import fs from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PROMPT } from '@signalbox/testkit'
import { createGuardrails } from '../index.ts'

const [url = '', apiKey = '', dataDir = ''] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: PROMPT, dataDir })
await guardrails.ready()
const kept = path.dirname(dataDir)
const session = guardrails.openSession({
  journal: {
    begin: (config) => fs.writeFileSync(path.join(kept, 'config.json'), JSON.stringify(config)),
    take: (config) =>
      fs.appendFileSync(path.join(kept, 'taken.ndjson'), `${JSON.stringify(config)}\n`),
    append: (line) => fs.appendFileSync(path.join(kept, 'journal.ndjson'), `${line}\n`),
  },
})
for (let i = 0; i < 100_000; i++) {
  const call = { tool: i === 0 ? 'test' : 'lint', args: { i } }
  await session.beforeToolCall(call)
  await session.afterToolCall({ ...call, outcome: 'success' })
  process.stdout.write(`${session.id} ${session.state.seq}\n`)
  // The tool takes time, during which new versions arrive.
  await setImmediate()
}
