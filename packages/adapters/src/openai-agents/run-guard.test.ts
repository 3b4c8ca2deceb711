import { createGuardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { RULES } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { OPENAI_AGENTS_PROFILE } from './capabilities.ts'
import { Notes } from './notes.ts'
import { RunGuard } from './run-guard.ts'

test('an OpenAI Agents call whose arguments changed after its verdict is evaluated again', async () => {
  const session = HarnessSession.open(createGuardrails({ config: RULES }), OPENAI_AGENTS_PROFILE, {
    files: { lookUp: async (file) => ({ exists: file === 'old.txt' }) },
  })
  const guard = new RunGuard({ session, notes: new Notes(), agent: null, sub: false })
  const write = (file: string) => ({
    callId: '1',
    name: 'write_file',
    arguments: JSON.stringify({ file_path: file }),
  })
  expect((await guard.verdictOn(write('new.txt'))).allowed).toBe(true)
  expect((await guard.verdictOn(write('new.txt'))).allowed).toBe(true)
  expect((await guard.verdictOn(write('old.txt'))).allowed).toBe(false)
})
