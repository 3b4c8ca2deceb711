import os from 'node:os'
import { expect, test } from 'vitest'
import { runHarness } from './harness-process.ts'

const SHELL = { program: '/bin/sh', cwd: os.tmpdir(), env: {} }

test('a harness process inherits only the PATH', async () => {
  const { stdout } = await runHarness({
    ...SHELL,
    program: process.execPath,
    args: ['-e', 'console.log(Object.keys(process.env).sort().join())'],
    env: { HOME: '/nowhere' },
  })

  expect(stdout).toBe('HOME,PATH\n')
})

test('runHarness passes the input, and reports the exit code and both outputs', async () => {
  const args = ['-c', 'cat; echo wrong >&2; exit 3']
  const exit = await runHarness({ ...SHELL, args, stdin: 'the prompt' })

  expect(exit).toEqual({ exitCode: 3, timedOut: false, stdout: 'the prompt', stderr: 'wrong\n' })
})

test('runHarness kills a process at its time limit', async () => {
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000'], timeoutMs: 1 })

  expect(exit).toMatchObject({ exitCode: null, timedOut: true })
})

test('runHarness kills a process when its signal is aborted', async () => {
  const signal = AbortSignal.abort()
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000'], signal })

  expect(exit).toMatchObject({ exitCode: null, timedOut: false })
})

test('runHarness ends child processes that a process leaves running', async () => {
  // The output stays open while any process holds it.
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000 & echo started'] })

  expect(exit).toMatchObject({ exitCode: 0, stdout: 'started\n' })
})

test('runHarness rejects for a program that does not exist', async () => {
  await expect(runHarness({ ...SHELL, program: '/nowhere/claude', args: [] })).rejects.toThrow(
    'ENOENT',
  )
})
