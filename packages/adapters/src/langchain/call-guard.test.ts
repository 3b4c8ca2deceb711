import { createGuardrails } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { RULES } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { CallGuard } from '../base/call-guard.ts'
import { LANGCHAIN_PROFILE } from './capabilities.ts'

function guardCalls(session: HarnessSession): CallGuard {
  const readError = (error: unknown) => ({ error, isInvalid: false })
  return new CallGuard({ session, agent: null, readError, deliver: (_, answer) => answer })
}

test('a LangChain call whose arguments changed after its verdict is evaluated again', async () => {
  const session = HarnessSession.open(createGuardrails({ config: RULES }), LANGCHAIN_PROFILE, {
    files: { lookUp: async (file) => ({ exists: file === 'old.txt' }) },
  })
  const guard = guardCalls(session)
  const write = (file_path: string) => ({ id: '1', name: 'write_file', args: { file_path } })
  const run = (file: string) =>
    guard.run(write(file), { known: true, call: () => 'Written.' }, () => false)
  await guard.judge([write('new.txt')])
  expect(await run('old.txt')).toMatchObject({ status: 'error' })
  await guard.judge([{ ...write('new.txt'), id: '2' }])
  expect(await run('new.txt')).toBe('Written.')
})

test('a LangChain call of an aborted run throws instead of answering with a tool failure', async () => {
  const session = HarnessSession.open(createGuardrails({ config: RULES }), LANGCHAIN_PROFILE)
  const guard = guardCalls(session)
  const aborting = { known: true, call: () => Promise.reject(new Error('aborted')) }
  const run = guard.run({ id: '1', name: 'lint', args: {} }, aborting, () => true)
  await expect(run).rejects.toThrow('aborted')
})
