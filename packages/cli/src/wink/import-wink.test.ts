import { createHash } from 'node:crypto'
import { compileConfig } from '@signalbox/core'
import { replay } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { isLinked, parseEventLine } from '@signalbox/wire'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { Unusable } from '../base/io.ts'
import { readDebugBundle } from './debug-bundle.ts'
import { importedLog } from './imported-log.ts'

const time = (second: number) => `2026-01-15T10:30:${String(second).padStart(2, '0')}.123456+00:00`
const result = (success: boolean) => ({ message: 'm', value: { a: 1 }, success })

const SLICES = [
  {
    slice_type: 'weakincentives.runtime.events.types:ToolInvoked',
    item_type: 'weakincentives.runtime.events.types:ToolInvoked',
    items: [
      {
        name: 'read_file',
        params: { path: 'a.md' },
        result: result(true),
        created_at: time(5),
        call_id: 'c1',
      },
      { name: 'deploy', params: null, result: result(false), created_at: time(3), call_id: null },
    ],
  },
  {
    slice_type: 'weakincentives.runtime.events:PromptExecuted',
    item_type: 'weakincentives.runtime.events:PromptExecuted',
    items: [
      {
        prompt_name: 'review',
        created_at: time(9),
        event_id: 'e1',
        usage: { input_tokens: 10, output_tokens: 2 },
      },
    ],
  },
  {
    slice_type: 'weakincentives.prompt.feedback:Feedback',
    item_type: 'weakincentives.prompt.feedback:Feedback',
    items: [
      { provider_name: 'Deadline', summary: 'Hurry', severity: 'warning', timestamp: time(6) },
    ],
  },
  {
    slice_type: 'weakincentives.contrib.tools.planning:Plan',
    item_type: 'weakincentives.contrib.tools.planning:Plan',
    items: [
      { objective: 'x', status: 'active', steps: [{ step_id: 1, title: 'Read', status: 'done' }] },
    ],
  },
  { slice_type: 'app:Finding', item_type: 'app:Finding', items: [{ text: 'x' }] },
]

interface Made {
  readonly slices?: readonly object[]
  readonly manifest?: (manifest: Record<string, unknown>) => object
  readonly files?: Readonly<Record<string, Uint8Array>>
  readonly status?: string
}

function bundle({
  slices = SLICES,
  manifest = (it) => it,
  files = {},
  status = 'success',
}: Made = {}) {
  const after = strToU8(`${JSON.stringify({ version: '1', created_at: time(9), slices })}\n`)
  const error = strToU8(JSON.stringify({ type: 'ValueError', message: 'no' }))
  const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const told = manifest({
    format_version: '1.0.0',
    bundle_id: 'b-1',
    created_at: time(10),
    request: {
      request_id: 'r-1',
      session_id: 's-1',
      status,
      started_at: time(0),
      ended_at: time(9),
    },
    prompt: { ns: 'examples/code-review', key: 'main', adapter: 'openai' },
    integrity: {
      algorithm: 'sha256',
      checksums: { 'session/after.jsonl': sum(after), 'error.json': sum(error) },
    },
    build: { version: '1.42.0', commit: '' },
  })
  return zipSync({
    'debug_bundle/manifest.json': strToU8(JSON.stringify(told)),
    'debug_bundle/session/after.jsonl': after,
    ...(status === 'error' ? { 'debug_bundle/error.json': error } : {}),
    'debug_bundle/filesystem/a.md': strToU8('not read'),
    ...files,
  })
}

function log(made: Made = {}) {
  return importedLog(readDebugBundle(bundle(made)), 'dev').map((line) => {
    const parsed = parseEventLine(line)
    if (!parsed.ok || !parsed.known) throw new Error(line)
    return parsed.event
  })
}

describe('a WINK debug bundle', () => {
  it('becomes a log in time order, marked as not enforced', () => {
    expect(log().map(({ type, data }) => [type, data])).toMatchObject([
      [
        'session.started',
        {
          ns: 'examples/code-review',
          harness: { name: 'wink', version: '1.42.0' },
          tags: { not_imported: 'Finding (1)' },
        },
      ],
      ['enforcement.lapsed', { detail: expect.stringMatching(/imported.*enforced nothing/) }],
      ['tool.requested', { call_id: 'call-2', tool: 'deploy', args: {} }],
      ['tool.invoked', { call_id: 'call-2', outcome: 'failure' }],
      ['tool.requested', { call_id: 'c1', args: { path: 'a.md' } }],
      ['tool.invoked', { call_id: 'c1', outcome: 'success', output: { value: { a: 1 } } }],
      ['note', { text: 'Feedback of Deadline (warning): Hurry' }],
      ['prompt.executed', { prompt: 'review' }],
      ['usage.recorded', { evaluation_id: 'e1', input_tokens: 10, output_tokens: 2 }],
      ['plan.updated', { steps: [{ id: '1', title: 'Read', status: 'done' }] }],
      ['session.ended', { reason: 'completed' }],
    ])
  })

  it('becomes a log without a config or a decision, which cannot pass for a verified log', () => {
    for (const event of log()) {
      expect(event.config).toBeUndefined()
      expect(event.type).not.toMatch(/decided|delivered/)
    }
  })

  it('becomes the same chained log each time, which replays without an anomaly', () => {
    const lines = importedLog(readDebugBundle(bundle()), 'dev')
    expect(importedLog(readDebugBundle(bundle()), 'dev')).toEqual(lines)
    const events = log()
    const hashes = lines.map((line) => createHash('sha256').update(line).digest('hex'))
    for (const [index, event] of events.entries())
      expect(isLinked(event, hashes[index - 1] ?? null)).toBe(true)
    const document = { schema_version: 1, ns: 'a', key: 'b' } as const
    const compiled = compileConfig(document, { expressions: celExpressions() })
    if (!compiled.ok) throw new Error('The empty config does not compile.')
    const anomalies = [...replay(compiled.config, events)].filter(
      ({ effect }) => effect.kind === 'anomaly',
    )
    expect(anomalies).toEqual([])
  })

  it('a WINK debug bundle of a failed run becomes a failed session with the error', () => {
    expect(log({ status: 'error' }).at(-1)?.data).toEqual({
      reason: 'failed',
      error: 'ValueError: no',
    })
  })

  it('a WINK debug bundle with an output too large for an event becomes a log with the size of the output', () => {
    const [calls, ...rest] = SLICES
    const items = [
      {
        name: 'cat',
        params: {},
        result: { success: true, value: 'x'.repeat(300_000) },
        created_at: time(1),
      },
    ]
    const invoked = log({ slices: [{ ...calls, items }, ...rest] }).find(
      ({ type }) => type === 'tool.invoked',
    )
    expect(invoked?.data).toMatchObject({ outcome: 'success', output: { $truncated: 300_027 } })
  })
})

describe('an invalid WINK debug bundle', () => {
  const stating = (size: number) => () => {
    const zip = bundle()
    const view = new DataView(zip.buffer, zip.byteOffset)
    const name = strToU8('debug_bundle/session/after.jsonl')
    // A central entry begins with PK 1 2, and has its uncompressed size at 24 and its name at 46.
    for (let at = 0; at + 46 + name.length <= zip.length; at += 1) {
      const isEntry = view.getUint32(at, true) === 0x02014b50
      const isNamed = name.every((byte, index) => zip[at + 46 + index] === byte)
      if (isEntry && isNamed) view.setUint32(at + 24, size, true)
    }
    return zip
  }
  const changed = (fields: object): Made => ({ manifest: (it) => ({ ...it, ...fields }) })
  it.each([
    ['a file that is not a zip', () => strToU8('hello'), /not a zip/],
    [
      'a zip without a manifest',
      () => zipSync({ 'a.txt': strToU8('a') }),
      /no debug_bundle\/manifest\.json/,
    ],
    [
      'an unknown format version',
      () => bundle(changed({ format_version: '2.0.0' })),
      /manifest\.json \/format_version: This program reads format 1/,
    ],
    [
      'a time without a zone',
      () => bundle(changed({ created_at: '2026-01-15T10:30:00' })),
      /manifest\.json \/created_at: .*zone/,
    ],
    [
      'an item without a name',
      () => bundle({ slices: [{ ...SLICES[0], items: [{ created_at: time(1) }] }] }),
      /after\.jsonl \/slices\/0\/items\/0\/name/,
    ],
    [
      'a changed file',
      () => bundle({ files: { 'debug_bundle/session/after.jsonl': strToU8('{}') } }),
      /after\.jsonl does not have the checksum/,
    ],
    [
      'a zip that states more than 64 MiB of content',
      stating(65 * 1024 * 1024),
      /more than 64 MiB/,
    ],
    ['a zip with more content than it states', stating(10), /checksum|not a zip/],
  ])('is refused: %s', (...[, made, words]) => {
    const read = () => readDebugBundle(made())
    expect(read).toThrow(Unusable)
    expect(read).toThrow(words)
  })

  it('an invalid WINK debug bundle is refused when its prompt name is invalid', () => {
    const made = readDebugBundle(bundle(changed({ prompt: { ns: 'a b', key: 'main' } })))
    expect(() => importedLog(made, 'dev')).toThrow(/session\.started \/data\/ns/)
  })
})
