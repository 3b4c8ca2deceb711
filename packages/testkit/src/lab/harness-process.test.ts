// What every harness process of the lab is subject to: an environment of its own, and an end.
import os from 'node:os'
import { expect, test } from 'vitest'
import { runHarness } from './harness-process.ts'

const SHELL = { program: '/bin/sh', cwd: os.tmpdir(), env: {} }

test('a process inherits nothing but the PATH', async () => {
  const { stdout } = await runHarness({
    ...SHELL,
    program: process.execPath,
    args: ['-e', 'console.log(Object.keys(process.env).sort().join())'],
    env: { HOME: '/nowhere' },
  })

  expect(stdout).toBe('HOME,PATH\n')
})

test('its exit code, both outputs and the input that it was given are told', async () => {
  const args = ['-c', 'cat; echo wrong >&2; exit 3']
  const exit = await runHarness({ ...SHELL, args, stdin: 'the prompt' })

  expect(exit).toEqual({ exitCode: 3, timedOut: false, stdout: 'the prompt', stderr: 'wrong\n' })
})

test('a process that does not end is killed', async () => {
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000'], timeoutMs: 1 })

  expect(exit).toMatchObject({ exitCode: null, timedOut: true })
})

test('a process ends when its test says so', async () => {
  const signal = AbortSignal.abort()
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000'], signal })

  expect(exit).toMatchObject({ exitCode: null, timedOut: false })
})

test('what a process leaves running ends with it', async () => {
  // The output stays open for as long as anybody holds it.
  const exit = await runHarness({ ...SHELL, args: ['-c', 'sleep 1000 & echo started'] })

  expect(exit).toMatchObject({ exitCode: 0, stdout: 'started\n' })
})

test('a program that is not there is an error', async () => {
  await expect(runHarness({ ...SHELL, program: '/nowhere/claude', args: [] })).rejects.toThrow(
    'ENOENT',
  )
})
