// Guarantees for every harness process of the lab: a separate environment, and an end.
import os from 'node:os'
import { expect, test } from 'vitest'
import { runHarness } from './harness-process.ts'

const SHELL = { program: '/bin/sh', cwd: os.tmpdir(), env: {} }

test('a process inherits only the PATH', async () => {
  const { stdout } = await runHarness({
    ...SHELL,
    program: process.execPath,
    args: ['-e', 'console.log(Object.keys(process.env).sort().join())'],
    env: { HOME: '/nowhere' },
  })

  expect(stdout).toBe('HOME,PATH\n')
})

test('reports its exit code, both outputs and the given input', async () => {
  const args = ['-c', 'cat; echo wrong >&2; exit 3']
  const exit = await runHarness({ ...SHELL, args, stdin: 'the prompt' })

  expect(exit).toEqual({ exitCode: 3, timedOut: false, stdout: 'the prompt', stderr: 'wrong\n' })
})

test('kills a process that does not end', async () => {
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000'], timeoutMs: 1 })

  expect(exit).toMatchObject({ exitCode: null, timedOut: true })
})

test('ends a process at the end of its test', async () => {
  const signal = AbortSignal.abort()
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000'], signal })

  expect(exit).toMatchObject({ exitCode: null, timedOut: false })
})

test('ends the processes that a process leaves running', async () => {
  // The output stays open for as long as anybody holds it.
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000 & echo started'] })

  expect(exit).toMatchObject({ exitCode: 0, stdout: 'started\n' })
})

test('reports a missing program as an error', async () => {
  await expect(runHarness({ ...SHELL, program: '/nowhere/claude', args: [] })).rejects.toThrow(
    'ENOENT',
  )
})
