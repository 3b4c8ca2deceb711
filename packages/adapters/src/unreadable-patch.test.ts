import type { ConfigDocument } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { describe, expect, test } from 'vitest'
import { CODEX_CAPABILITIES } from './codex/capabilities.ts'
import { CODEX_TOOLS } from './codex/tools.ts'
import { COPILOT_CAPABILITIES } from './copilot/capabilities.ts'
import { COPILOT_TOOLS } from './copilot/tools.ts'
import { OPENCODE_CAPABILITIES } from './opencode/capabilities.ts'
import { OPENCODE_TOOLS } from './opencode/tools.ts'

type PolicyDocument = NonNullable<ConfigDocument['policies']>[number]

const READ_FIRST: PolicyDocument = {
  id: 'read-first',
  type: 'read_before_write',
  read_tools: ['read_file'],
  write_tools: ['edit_file'],
}
const NO_SECRETS: PolicyDocument = {
  id: 'secrets',
  type: 'expression',
  tools: ['edit_file'],
  deny_when: 'args.file_path.startsWith("secret")',
}

describe.each([
  [
    'Codex',
    { name: 'codex', version: '1.0.0', capabilities: CODEX_CAPABILITIES, tools: CODEX_TOOLS },
  ],
  [
    'Copilot CLI',
    { name: 'copilot', version: '1.0.0', capabilities: COPILOT_CAPABILITIES, tools: COPILOT_TOOLS },
  ],
  [
    'opencode',
    {
      name: 'opencode',
      version: '1.0.0',
      capabilities: OPENCODE_CAPABILITIES,
      tools: OPENCODE_TOOLS,
    },
  ],
])('an unreadable patch of %s', (_, profile) => {
  test.each([READ_FIRST, NO_SECRETS])('is denied by the rule $id', async (policy) => {
    const config: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b', policies: [policy] }
    const guardrails = createGuardrails({ config, expressions: celExpressions() })
    const harness = HarnessSession.open(guardrails, profile)
    const call = { tool: 'apply_patch', input: { command: 'No patch.' }, callId: '1' }
    expect(await harness.before(call)).toMatchObject({ allowed: false })
  })
})
