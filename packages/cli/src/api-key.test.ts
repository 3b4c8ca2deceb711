import { Command } from 'commander'
import { expect, it } from 'vitest'
import { withApiKey } from './api-key.ts'
import { makeSurroundings, recordIo } from './test/command-parts.ts'

async function taken(env: { readonly [name: string]: string }, command = 'pull') {
  const { io, err } = recordIo()
  const program = new Command('signalbox')
  const keyed = withApiKey(program, { io, around: makeSurroundings({ env }) })
  program.command(command).action(() => undefined)
  await program.parseAsync([command], { from: 'user' })
  return { key: keyed.env['SIGNALBOX_API_KEY'], err }
}

it('a command reads its key from SIGNALBOX_API_KEY without a message', async () => {
  expect(await taken({ SIGNALBOX_API_KEY: 'sbx_a' })).toEqual({ key: 'sbx_a', err: [] })
})

it('a command reads its key from the former SIGNALBOX_KEY, and warns to rename the variable', async () => {
  expect(await taken({ SIGNALBOX_KEY: 'sbx_b' })).toEqual({
    key: 'sbx_b',
    err: [
      'SIGNALBOX_KEY is the former name of SIGNALBOX_API_KEY. Rename it: a later release will ignore it.',
    ],
  })
})

it('a command with both variables uses SIGNALBOX_API_KEY, reports that, and prints no key', async () => {
  const both = await taken({ SIGNALBOX_API_KEY: 'sbx_a', SIGNALBOX_KEY: 'sbx_b' })
  expect(both.key).toBe('sbx_a')
  expect(both.err).toEqual(['SIGNALBOX_KEY is ignored, because SIGNALBOX_API_KEY is set.'])
})

it('signalbox hook does not warn about SIGNALBOX_KEY, because a harness shows its output to the model', async () => {
  expect((await taken({ SIGNALBOX_KEY: 'sbx_b' }, 'hook')).err).toEqual([])
})
