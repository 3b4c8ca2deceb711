import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { SessionEvent } from '@signalbox/core'
import { type HiddenRule, tellSession, toConfig } from '@signalbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NamedBlocks } from '@/scripts/document-blocks.mjs'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { nodeIo } from '../base/node-io.ts'
import { run } from '../run.ts'
import { makeSurroundings, recordIo } from '../test/command-parts.ts'

const PAGE = 'docs/how-to/learn-rules.md'
const documented = new NamedBlocks(import.meta.filename)

const ORDER: HiddenRule = { kind: 'order', tool: 'migrate_db', needs: 'backup_db' }
const FRESH: HiddenRule = { kind: 'fresh', tool: 'deploy', needs: 'run_tests', since: 'write_file' }
const WORLD = { seed: 11, rules: [ORDER, FRESH] }
const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'learn-'))

function writeLog(name: string, logs: readonly (readonly SessionEvent[])[]): void {
  const lines = logs.flat().map((event) => JSON.stringify(event))
  fs.writeFileSync(path.join(cwd, name), `${lines.join('\n')}\n`)
}

beforeAll(() => {
  fs.mkdirSync(path.join(cwd, 'sessions'))
  const good = Array.from({ length: 90 }, (_, i) => tellSession(WORLD, i).events)
  const cut = tellSession(WORLD, 400).events.slice(0, 20)
  writeLog('sessions/good.jsonl', [...good, cut])
  const bad = Array.from({ length: 8 }, (_, i) =>
    tellSession(WORLD, 200 + i, { incident: { breaks: i % 2 === 0 ? ORDER : FRESH } }),
  )
  writeLog(
    'bad.jsonl',
    bad.map(({ events }) => events),
  )
  writeLog('few.jsonl', good.slice(0, 5))
  fs.writeFileSync(path.join(cwd, 'config.json'), JSON.stringify(toConfig([ORDER])))
})

afterAll(() => {
  fs.rmSync(cwd, { recursive: true })
  expect(documented.listLeft()).toEqual([])
})

async function learn(command: string) {
  const { readText, readLines } = nodeIo()
  const { io, out, err } = recordIo({
    readText: (file) => readText(path.resolve(cwd, file)),
    readLines: (file) => readLines(path.resolve(cwd, file)),
  })
  const words = command.trim().split(/\s+/).slice(1)
  return { code: await run(words, io, { ...makeSurroundings(), cwd }), out, err }
}

describe('signalbox learn', () => {
  test('proposes what good sessions have in common, and says how it was tested', async () => {
    const { code, out } = await learn(
      documented.take(PAGE, { 'learn sessions --bad': 'learn sessions --bad' }),
    )
    expect(code).toBe(1)
    expect(out[0]).toBe('world/agent: from 90 good sessions, 8 marked bad; 1 not used: 1 not ended')
    const guards = out.slice(
      out.indexOf('Guards: bad sessions broke them'),
      out.indexOf('Habits: only a correlation'),
    )
    expect(guards.filter((line) => line.startsWith('  `')).sort()).toEqual([
      '  `deploy` ran only when `run_tests` had succeeded since the last `write_file`.',
      '  `migrate_db` ran only when `backup_db` had succeeded.',
    ])
    expect(guards.join('\n')).toMatch(
      /Held in all \d+ good sessions \(\d+% expected by chance\)\. Broken in 4 of \d+ bad sessions\./,
    )
    expect(out.join('\n')).not.toContain('must')
  })

  test('prints a patch of the guards, which the config does not have yet', async () => {
    const command = documented.take(PAGE, { '--format patch': '--format patch' })
    const { code, out } = await learn(command)
    expect(code).toBe(1)
    expect(JSON.parse(out.join('\n'))).toEqual([
      {
        op: 'add',
        path: '/policies/-',
        value: {
          id: 'deploy-after-run_tests-write_file',
          type: 'sequential_dependency',
          dependencies: { deploy: ['run_tests'] },
          after: ['write_file'],
          mode: 'shadow',
        },
      },
    ])
    const { out: all } = await learn(`${command} --habits`)
    expect(JSON.parse(all.join('\n')).length).toBeGreaterThan(1)
  })

  test('prints everything that was measured as JSON', async () => {
    const { out } = await learn('signalbox learn sessions --bad bad.jsonl --format json')
    const { good, bad, kept, together, unused } = JSON.parse(out.join(''))
    expect([good, bad, unused]).toEqual([90, 8, { not_ended: 1 }])
    expect(kept[0].proposal).toMatchObject({ group: 'guard', rule: { mode: 'shadow' } })
    expect(together.good.sessions).toBeGreaterThan(0)
  })

  test.runIf(IS_SOAK)(
    'names the tools of a rule that no session called more than 7 days ago',
    async () => {
      const isMigration = (log: readonly SessionEvent[]) =>
        log.some(
          ({ type, data }) =>
            type === 'tool.requested' && 'tool' in data && data.tool === 'migrate_db',
        )
      const logs = Array.from({ length: 90 }, (_, i) => tellSession(WORLD, i).events)
      const late = logs.map((log) =>
        isMigration(log) ? log.map((event) => ({ ...event, at: Date.now() - 3_600_000 })) : log,
      )
      writeLog('late.jsonl', late)
      const { out } = await learn('signalbox learn late.jsonl')
      const at = out.findIndex((line) => line.includes('`migrate_db` ran only when `backup_db`'))
      expect(out[at + 1]).toContain('First seen less than 7 days ago: `migrate_db`.')
      expect(out.join('\n')).not.toMatch(/First seen[^.]*`deploy`/)
    },
  )

  test('says when there are too few sessions, or when nothing was found', async () => {
    expect(await learn('signalbox learn few.jsonl')).toMatchObject({
      code: 0,
      out: [
        'world/agent: from 5 good sessions, 0 marked bad',
        '5 good sessions: too few. A proposal needs 20.',
      ],
    })
    expect(await learn('signalbox learn few.jsonl --min 5')).toMatchObject({
      code: 0,
      out: [
        'world/agent: from 5 good sessions, 0 marked bad',
        'No new pattern found: each one is already covered or could be coincidence.',
      ],
    })
  })

  test('takes only the sessions that are given as good, or are recent', async () => {
    const [id] = [tellSession(WORLD, 3).id]
    const { err } = await learn(`signalbox learn sessions few.jsonl --good ${id}`)
    expect(err[0]).toContain(`few.jsonl. Give it once.`)
    const given = await learn(`signalbox learn sessions --good ${id}`)
    expect(given.out[0]).toBe(
      'world/agent: from 1 good session, 0 marked bad; 90 not used: 90 not listed in --good',
    )
    const recent = await learn('signalbox learn sessions --since 30d')
    expect(recent.out[0]).toContain('91 not used: 91 older')
  })

  test.each([
    ['signalbox learn sessions --since yesterday', 'Use a number of hours, days or weeks'],
    ['signalbox learn sessions --min 2', 'Use a whole number from 5.'],
    [
      'signalbox learn sessions --ns other',
      'The logs contain no session of this prompt. Check --ns and --key.',
    ],
    ['signalbox learn missing.jsonl', 'it does not exist'],
  ])('%s is refused with what to do', async (command, message) => {
    const { code, err } = await learn(command)
    expect(code).toBe(2)
    expect(err.join('\n')).toContain(message)
  })
})
