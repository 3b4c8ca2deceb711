// Run by crash.test.ts: every event whose line it printed must arrive, wherever the process is killed.

import { PROMPT } from '@signalbox/testkit'
import { createGuardrails } from '../index.ts'

const [url = '', apiKey = '', dataDir = '', prompt = PROMPT] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt, dataDir })
await guardrails.ready()
const session = guardrails.openSession()
for (let i = 0; i < 100_000; i++) {
  const callId = `c${i}`
  await session.beforeToolCall({ tool: 'lint', args: { i }, callId })
  await session.afterToolCall({ tool: 'lint', args: { i }, callId, outcome: 'success' })
  process.stdout.write(`${session.id} ${session.state.seq}\n`)
}
