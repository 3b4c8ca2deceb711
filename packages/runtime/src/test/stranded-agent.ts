// A process whose control plane is unreachable throughout; run by crash.test.ts. It must reach its last line.

import { PROMPT } from '@signalbox/testkit'
import { createGuardrails } from '../index.ts'

const [url = '', apiKey = '', dataDir = ''] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: PROMPT, dataDir })
await guardrails.ready(300)
const session = guardrails.openSession()
await session.beforeToolCall({ tool: 'lint', args: {} })
await session.end({ reason: 'aborted' })
await guardrails.close(1000)
process.stdout.write('closed')
