import { whyNotInstalled } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { acpOpencodeDriver, runInOpencode } from './test/acp-opencode-driver.ts'

const config = { schema_version: 1, ns: 'a', key: 'b' } as const

describe.skipIf(whyNotInstalled('second') !== null)('opencode acp', () => {
  compatibility(acpOpencodeDriver)

  test('a call without a permission request runs, and is recorded without a decision', async () => {
    const script = [{ calls: [{ write: 'a.txt', content: 'x' }] }, { say: 'Done.' }]
    const outcome = await runInOpencode({ config, script, asks: [] }, async (lab) => {
      expect(await lab.prompt('Begin.')).toBe('end_turn')
    })
    expect(outcome.files).toEqual({ 'a.txt': 'x' })
    expect(outcome.events.map(({ type }) => type)).not.toContain('tool.requested')
    expect(outcome.events.find(({ type }) => type === 'tool.invoked')).toMatchObject({
      data: { tool: 'write_file', outcome: 'unknown' },
    })
  })

  test('every call asks for permission, without an option to allow all calls', async () => {
    const script = [
      { calls: [{ check: 'passes' as const }] },
      { calls: [{ check: 'passes' as const }] },
      { say: 'Done.' },
    ]
    const offered: string[][] = []
    const outcome = await runInOpencode({ config, script }, async (lab) => {
      await lab.prompt('Begin.')
      for (const { options } of lab.asked) offered.push(options.map(({ kind }) => kind))
    })
    expect(offered).toEqual([
      ['allow_once', 'reject_once'],
      ['allow_once', 'reject_once'],
    ])
    expect(outcome.events.filter(({ type }) => type === 'tool.decided')).toHaveLength(2)
  })
})
