// A process that never closes its guardrails; run by crash.test.ts. It must exit on its own.

import { PROMPT } from '@signalbox/testkit'
import { createGuardrails } from '../index.ts'

const [url = '', apiKey = '', dataDir = ''] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: PROMPT, dataDir })
await guardrails.ready()
const session = guardrails.openSession()
await session.beforeToolCall({ tool: 'lint', args: {} })
process.stdout.write(session.id)
