import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { computeDigest, eventHash } from '@signalbox/wire'
import { describe, expect, it } from 'vitest'
import type { Surroundings } from './base/surroundings.ts'
import { run, Unusable } from './index.ts'
import { makeSurroundings, recordIo } from './test/command-parts.ts'

const CONFIG = JSON.stringify({
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
})
const NOISY = JSON.stringify({
  schema_version: 1,
  ns: 'a',
  key: 'b',
  task_completion_checker: { id: 'empty', type: 'composite', checkers: [] },
})

function event(seq: number, type: string, data: object): string {
  return JSON.stringify({ session: 'sess_1', seq, at: seq, type, data })
}

const REQUEST = event(1, 'tool.requested', { call_id: 'c1', tool: 'deploy', args: {} })
const DENIAL = {
  call_id: 'c1',
  tool: 'deploy',
  decision: 'denied',
  reason: "Tool 'deploy' requires: test",
  rules: [
    {
      rule: 'order',
      pointer: '/policies/0',
      type: 'sequential_dependency',
      mode: 'enforce',
      result: 'deny',
      code: 'sequential.missing',
      params: { tool: 'deploy', missing: ['test'] },
      because: [],
      reason_class: 'prerequisite_missing',
      reason: "Tool 'deploy' requires: test",
    },
  ],
}

async function outcome(
  words: readonly string[],
  files: Readonly<Record<string, string>>,
  around: Surroundings | null = null,
) {
  const text = (file: string): string => {
    const found = files[file]
    if (found === undefined) throw new Unusable(`${file} cannot be read: it does not exist.`)
    return found
  }
  const { io, out, err } = recordIo({
    readText: async (file) => text(file),
    readLines: async function* (file) {
      yield* text(file).split('\n')
    },
  })
  return { code: await run(words, io, around), out, err }
}

describe('terminal output', () => {
  const hostile = JSON.stringify({ schema_version: 1, ns: 'a', key: 'b', 'x\n\u001b[2J\u202e': 1 })

  it('shows a problem on one line, with control characters escaped', async () => {
    const { out } = await outcome(['validate', 'c'], { c: hostile })
    expect(out).toEqual([
      '/x\\u000a\\u001b[2J\\u202e  error  The field "x\\u000a\\u001b[2J\\u202e" is not known here. Remove it.',
    ])
  })

  it('shows the refusal of a config on one line, without control characters', async () => {
    const { err } = await outcome(['replay', '--config', 'c', 'e'], { c: hostile, e: REQUEST })
    expect(err).toHaveLength(1)
    expect(err[0]).not.toMatch(/\p{Cc}/u)
  })

  it('shows an effect without control characters, and unchanged with --json', async () => {
    const denied = event(1, 'tool.requested', { call_id: 'c\n1', tool: 'deploy', args: {} })
    const stop = event(2, 'stop.attempted', { via: 'turn_end' })
    const files = {
      c: JSON.stringify({
        schema_version: 1,
        ns: 'a',
        key: 'b',
        task_completion_checker: { id: 'f', type: 'files_exist', files: ['a\nb.txt'] },
      }),
      e: [denied, stop].join('\n'),
    }
    const spoken = await outcome(['replay', '--config', 'c', 'e'], files)
    expect(spoken.out.join('')).toContain('a\\u000ab.txt')
    expect(spoken.out.join('')).not.toMatch(/\p{Cc}/u)
    const json = await outcome(['replay', '--json', '--config', 'c', 'e'], files)
    expect(JSON.parse(json.out[1] ?? '').data.params).toMatchObject({ unknown: ['a\nb.txt'] })
  })
})

describe('lint and validate', () => {
  it('lint exits with 0 for a config without problems', async () => {
    expect((await outcome(['lint', 'c'], { c: CONFIG })).code).toBe(0)
  })

  it('validate exits with 1 and names the pointer of an error', async () => {
    const { code, out } = await outcome(['validate', 'c'], { c: '{"schema_version":1,"ns":"a"}' })
    expect(code).toBe(1)
    expect(out[0]).toMatch(/^\/key {2}error {2}/)
  })

  it('lint exits with 1 for a warning, validate with 0', async () => {
    expect((await outcome(['lint', 'c'], { c: NOISY })).code).toBe(1)
    expect((await outcome(['validate', 'c'], { c: NOISY })).code).toBe(0)
  })

  it('accept a rule of a custom type only with --custom-types', async () => {
    const custom = { id: 'x', type: 'acme/freeze' }
    const config = JSON.stringify({ ...JSON.parse(CONFIG), policies: [custom] })
    expect((await outcome(['validate', 'c'], { c: config })).code).toBe(1)
    const types = ['--custom-types', 'acme/freeze,acme/other']
    expect((await outcome(['validate', ...types, 'c'], { c: config })).code).toBe(0)
    expect((await outcome(['lint', '--custom-types', 'any', 'c'], { c: config })).code).toBe(0)
  })

  it('lint exits with 2 when the file cannot be read', async () => {
    const { code, err } = await outcome(['lint', 'nowhere'], {})
    expect(code).toBe(2)
    expect(err).toEqual(['nowhere cannot be read: it does not exist.'])
  })

  it('lint prints its problems as a JSON array with --json', async () => {
    const { out } = await outcome(['lint', '--json', 'c'], { c: NOISY })
    expect(JSON.parse(out[0] ?? '')).toHaveLength(1)
  })
})

const DOUBTS = [
  'sess_1: the log has no session.ended, so its end may be missing',
  'sess_1: the log has no hash chain, so only the inputs of its decisions are proven',
  'sess_1: the log does not name a config, so its decisions may come from any config',
]

describe('replay', () => {
  it('prints one effect per line', async () => {
    const { code, out } = await outcome(['replay', '--config', 'c', 'e'], { c: CONFIG, e: REQUEST })
    expect(code).toBe(0)
    expect(out).toEqual(['#1  tool.decided  deploy denied: deploy needs test first'])
  })

  it('prints effects as JSON with --json', async () => {
    const { out } = await outcome(['replay', '--json', '--config', 'c', 'e'], {
      c: CONFIG,
      e: REQUEST,
    })
    expect(JSON.parse(out[0] ?? '')).toEqual({
      session: 'sess_1',
      seq: 1,
      kind: 'tool.decided',
      data: DENIAL,
    })
  })

  it('counts the verified decisions with --check', async () => {
    const log = [REQUEST, event(2, 'tool.decided', DENIAL)].join('\n')
    expect(
      (await outcome(['replay', '--check', '--config', 'c', 'e'], { c: CONFIG, e: log })).out,
    ).toEqual(['verified: 1 decision', ...DOUBTS])
  })

  it('names with --check the limits of an incomplete log, and none for a complete log', async () => {
    const config = computeDigest(JSON.parse(CONFIG))
    const first = { ...JSON.parse(REQUEST), config }
    const second = {
      ...JSON.parse(event(2, 'tool.decided', DENIAL)),
      config,
      prev: eventHash(first),
    }
    const end = JSON.parse(event(3, 'session.ended', { reason: 'completed' }))
    const last = { ...end, config, prev: eventHash(second) }
    const check = async (events: readonly object[]) => {
      const e = events.map((one) => JSON.stringify(one)).join('\n')
      return await outcome(['replay', '--check', '--config', 'c', 'e'], { c: CONFIG, e })
    }
    expect(await check([first, second, last])).toMatchObject({
      code: 0,
      out: ['verified: 1 decision'],
    })
    expect(await check([first, second])).toMatchObject({
      code: 0,
      out: [expect.anything(), DOUBTS[0]],
    })
  })

  it('exits with 1 and names both configs when another config decided', async () => {
    const first = { ...JSON.parse(REQUEST), config: computeDigest(JSON.parse(CONFIG)) }
    const other = JSON.stringify({ ...JSON.parse(CONFIG), description: 'Another text.' })
    const { code, out } = await outcome(['replay', '--check', '--config', 'c', 'e'], {
      c: other,
      e: JSON.stringify(first),
    })
    expect(code).toBe(1)
    expect(out).toEqual([
      `diverged at #1 of sess_1: the event was decided under ${first.config}, but the given config is ${computeDigest(JSON.parse(other))}`,
    ])
  })

  it('exits with 1 and reports the first event whose recomputed decision differs', async () => {
    const other = { ...DENIAL, decision: 'allowed', reason: null }
    const log = [REQUEST, event(2, 'tool.decided', other)].join('\n')
    const { code, out } = await outcome(['replay', '--check', '--config', 'c', 'e'], {
      c: CONFIG,
      e: log,
    })
    expect(code).toBe(1)
    expect(out).toEqual(['diverged at #2 of sess_1: the recomputed decision differs'])
  })

  it('reports the event at which the hash chain of the log breaks', async () => {
    const first = { session: 'sess_1', seq: 1, at: 1, type: 'note', data: { text: 'a' } }
    const second = (prev: string) => JSON.stringify({ ...first, seq: 2, prev, data: { text: 'b' } })
    const check = async (prev: string) =>
      await outcome(['replay', '--check', '--config', 'c', 'e'], {
        c: CONFIG,
        e: [JSON.stringify(first), second(prev)].join('\n'),
      })
    expect((await check(eventHash(first))).out).toEqual([
      'verified: 0 decisions',
      DOUBTS[0],
      DOUBTS[2],
    ])
    expect((await check('a'.repeat(64))).out).toEqual([
      'diverged at #2 of sess_1: the event does not contain the hash of the event before it',
    ])
  })

  it('counts with --check the decisions that are not recorded yet', async () => {
    const { code, out } = await outcome(['replay', '--check', '--config', 'c', 'e'], {
      c: CONFIG,
      e: REQUEST,
    })
    expect(code).toBe(0)
    expect(out).toEqual(['verified: 0 decisions, 1 not recorded yet', ...DOUBTS])
  })

  it('enforces an optional custom rule only when the session had code for it', async () => {
    const custom = { id: 'x', type: 'acme/freeze', optional: true }
    const config = JSON.stringify({ ...JSON.parse(CONFIG), policies: [custom] })
    const replayed = async (custom_types: readonly string[]) => {
      const started = { ns: 'a', key: 'b', environment: 'dev', harness: { name: 'x' } }
      const log = [
        event(1, 'session.started', { ...started, custom_types }),
        event(2, 'tool.requested', { call_id: 'c', tool: 'read_file', args: {} }),
      ].join('\n')
      return (await outcome(['replay', '--config', 'c', 'e'], { c: config, e: log })).out
    }
    expect(await replayed([])).toEqual(['#2  tool.decided  read_file allowed: Allowed'])
    expect(await replayed(['acme/freeze'])).toEqual([
      '#2  tool.decided  read_file error: The custom rule gave no answer',
    ])
  })

  it.each([
    ['a broken line', `${REQUEST}\n{`, 'e:2: The line is not JSON'],
    [
      'events out of order',
      [event(2, 'note', { text: 'x' }), REQUEST].join('\n'),
      'e:2: event #1 comes after #2',
    ],
  ])('exits with 2 on %s', async (_, log, sentence) => {
    const { code, err } = await outcome(['replay', '--config', 'c', 'e'], { c: CONFIG, e: log })
    expect(code).toBe(2)
    expect(err[0]).toContain(sentence)
  })

  it('exits with 2 without a config', async () => {
    expect((await outcome(['replay', 'e'], { e: '' })).code).toBe(2)
  })
})

describe('the signalbox command', () => {
  it.each(['-V', '--version'])('prints its version with %s', async (flag) => {
    const file = path.join(import.meta.dirname, '../package.json')
    const { version } = JSON.parse(fs.readFileSync(file, 'utf8'))
    expect(await outcome([flag], {})).toEqual({ code: 0, out: [version], err: [] })
  })

  const around = makeSurroundings()

  it('describes commands, options and exit codes in sentence case, and lists no default that is off or empty', async () => {
    const { out: help } = await outcome(['--help'], {}, around)
    const names = [...help.join('\n').matchAll(/^ {2}([a-z-]+) .*/gm)].map(([, name = '']) => name)
    for (const name of ['', ...names.filter((one) => one !== 'help')]) {
      const { out } = await outcome([...(name === '' ? [] : [name]), '--help'], {}, around)
      const described = [...out.join('\n').matchAll(/^ {2}\S.*? {2,}(\S.*)$/gm)]
      expect(described.length, name).toBeGreaterThan(1)
      for (const [, description] of described) expect(description, name).toMatch(/^[A-Z].*[^.]$/)
      expect(out.join('\n')).not.toMatch(/default:\s+(false|\[\]|"")/)
    }
    const { out } = await outcome(['replay', '--help'], {})
    expect(out.join('\n')).toContain('Config file (required)')
  })

  it('prints the usage of every command that its help lists', async () => {
    const { out: help } = await outcome(['--help'], {}, around)
    const names = [...help.join('\n').matchAll(/^ {2}([a-z-]+) .*/gm)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(20)
    for (const name of names.filter((one) => one !== 'help')) {
      const { out } = await outcome([name, '--help'], {}, around)
      expect(out.join('\n')).toContain(`Usage: signalbox ${name}`)
    }
  })

  it.each(['bash', 'zsh', 'fish'])(
    'completes its commands and their options in %s',
    async (shell) => {
      const { code, out } = await outcome(['completion', shell], {})
      expect(code).toBe(0)
      for (const word of ['validate', 'replay', '--custom-types', '--check', 'zsh'])
        expect(out.join('\n')).toContain(word)
    },
  )

  it('completes the options of a command in a real bash', async () => {
    const script = (await outcome(['completion', 'bash'], {})).out.join('\n')
    const ask = `COMP_WORDS=(signalbox replay --c); COMP_CWORD=2; _signalbox; echo "\${COMPREPLY[@]}"`
    const bash = spawnSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' })
    expect(bash.stdout.trim().split(' ')).toEqual(['--config', '--check'])
  })
})
