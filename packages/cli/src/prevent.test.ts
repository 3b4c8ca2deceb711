import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { SessionEvent } from '@signalbox/core'
import { HELD_OUT, makeWorld, tellSession } from '@signalbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NamedBlocks } from '@/scripts/document-blocks.mjs'
import { nodeIo } from './base/node-io.ts'
import { run } from './run.ts'
import { builtCli } from './test/cli-process.ts'
import { makeSurroundings, recordIo } from './test/command-parts.ts'

const GOOD = 60
const SINCE = { kind: 'fresh', tool: 'notify', needs: 'build', since: 'migrate_db' } as const
const WORLD = { ...makeWorld(1), rules: [SINCE] }

const documented = new NamedBlocks(import.meta.filename)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'prevent-'))
let program = ''

function write(name: string, events: readonly SessionEvent[]): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  fs.writeFileSync(
    path.join(folder, name),
    events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  )
}

const { events, incident } = tellSession(WORLD, HELD_OUT, { incident: { breaks: SINCE } })
const at = incident ?? 0

beforeAll(async () => {
  program = await builtCli(folder)
  write('incident.jsonl', events)
  write('good/incident.jsonl', events)
  write('good/running.jsonl', tellSession(WORLD, GOOD).events.slice(0, -1))
  const good = Array.from({ length: GOOD }, (_, i) => tellSession(WORLD, i).events)
  write('good/many/a.jsonl', good.slice(1).flat())
  write('good/many/b.jsonl', good[0] ?? [])
  const rules = {
    $schema: 'https://example.com/config.json',
    schema_version: 1,
    ns: 'world',
    key: 'agent',
  }
  fs.writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(rules, null, 2))
})
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
  expect(documented.listLeft()).toEqual([])
})

async function prevent(words: string) {
  const all = ['prevent', ...words.split(' ')]
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...all], {
      cwd: folder,
    })
    return { code: 0, out: stdout, err: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, err: stderr }
  }
}

test('prevent names the broken rule first, writes it, and then finds the call refused', async () => {
  const found = await prevent(`incident.jsonl --at ${at} --good good --config rules.json`)
  expect(found).toMatchObject({ code: 0, err: '' })
  const [first, second] = found.out.split('\n')
  expect(first).toBe('1. `notify` needs `build` since the last `migrate_db`.')
  expect(second).toMatch(/^ {3}Refuses nothing in \d+ good sessions with \d+ good calls\./)
  expect(found.out).toContain('Compared with 60 good sessions.')
  expect(found.out).toContain('Not used: 1 is the incident, 1 still runs.')

  const applied = await prevent(
    documented
      .take('docs/how-to/prevent-an-incident.md', { '--at 12': `--at ${at}` })
      .trim()
      .replace(/^signalbox prevent /, ''),
  )
  expect(applied.err).toBe('Change 1 is in rules.json. Review it before you publish it.\n')
  expect(JSON.parse(fs.readFileSync(path.join(folder, 'rules.json'), 'utf8'))).toEqual({
    $schema: 'https://example.com/config.json',
    schema_version: 1,
    ns: 'world',
    key: 'agent',
    policies: [
      {
        id: 'notify-after-build',
        type: 'sequential_dependency',
        dependencies: { notify: ['build'] },
        after: ['migrate_db'],
      },
    ],
  })
  expect(await prevent(`incident.jsonl --at ${at} --good good --config rules.json`)).toEqual({
    code: 2,
    out: '',
    err: 'This was already refused by `notify-after-build`.\n',
  })
}, 60_000)

test('prevent prints everything as JSON', async () => {
  const { out } = await prevent(`incident.jsonl --at ${at} --good good --json`)
  expect(JSON.parse(out)).toMatchObject({
    candidates: [{ kind: 'fresh', denies: 0, outcome: 'denied' }, { kind: 'approval' }],
    used: { sessions: GOOD, sessionsLeftOut: 0 },
    unused: { 'still runs': 1 },
    isCut: false,
  })
}, 60_000)

test('prevent says that only a reviewer can tell a call that is like good ones', async () => {
  const good = tellSession(WORLD, GOOD + 1).events
  write('usual.jsonl', good)
  const call = good.find(
    ({ type, data }) => type === 'tool.requested' && 'tool' in data && data.tool === 'lint',
  )
  const { code, out } = await prevent(`usual.jsonl --at ${call?.seq} --good good`)
  expect(code).toBe(1)
  expect(out).toMatch(
    /^No recorded difference separates this call from \d+ good calls\. A reviewer can decide each one/,
  )
}, 60_000)

test.each([
  ['incident.jsonl --at 1 --good good', 'This event decides neither a call nor a stop.'],
  ['good/many/a.jsonl --at 2 --good good', 'has several sessions. Give the log of one.'],
  [`incident.jsonl --at ${at} --good none`, 'There is no folder '],
  [`incident.jsonl --at ${at} --good good --apply`, 'Name the config to change with --config.'],
  ['incident.jsonl --at x --good good', 'Use a whole number from 1.'],
])('prevent %s is refused with what to do', async (words, message) => {
  const { readText, readLines } = nodeIo()
  const { io, err } = recordIo({ readText, readLines })
  const all = words.replace(/^\S+/, `${folder}/$&`).replace('--good ', `--good ${folder}/`)
  expect(await run(['prevent', ...all.split(' ')], io, makeSurroundings())).toBe(2)
  expect(err.join('\n')).toContain(message)
})
