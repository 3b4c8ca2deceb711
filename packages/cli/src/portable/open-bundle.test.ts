import { computeKeyId, derivePublicKey } from '@signalbox/wire'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chained, DOCUMENT, headFor, LOG, SEED, sealed } from '../test/portable-lab.ts'
import { openPortableBundle } from './index.ts'

const WHOLE = sealed()
const PUBLIC_KEY = derivePublicKey(SEED)
const STOP = LOG.length

function changed(from: string, to: string): Uint8Array {
  const text = new TextDecoder().decode(WHOLE)
  expect(text).toContain(from)
  return new TextEncoder().encode(text.replace(from, to))
}

describe('an unchanged portable bundle', () => {
  it('verifies, with reason and unblocking steps, and reports an unknown signer', () => {
    expect(openPortableBundle(WHOLE, null)).toMatchObject({
      status: 'verified',
      decisions: 2,
      signer: { keyId: computeKeyId(PUBLIC_KEY), publicKey: PUBLIC_KEY, isKnown: false },
      reading: {
        from: 'computed',
        verdict: 'blocked',
        sentence: '1 of 2 plan steps is not done',
        steps: [
          { text: 'Finish or remove “Prüfen ✓”', owner: 'agent', obstacle: null },
          { text: 'Run `test` until it succeeds', owner: 'agent', obstacle: null },
        ],
        checks: { status: 'incomplete', children: [{ checker: 'plan' }, { checker: 'tested' }] },
      },
    })
  })

  it.each([
    ['key', PUBLIC_KEY],
    ['key id', computeKeyId(PUBLIC_KEY)],
  ])('is reported as signed by the given %s', (_, key) => {
    expect(openPortableBundle(WHOLE, key)).toMatchObject({ signer: { isKnown: true } })
  })

  it('an unchanged portable bundle is refused when another key was given', () => {
    const other = derivePublicKey(`${'B'.repeat(42)}A`)
    expect(openPortableBundle(WHOLE, other)).toEqual({
      status: 'refused',
      defect: 'key',
      message: `The file was signed by the key ${computeKeyId(PUBLIC_KEY)}, not by the given key.`,
    })
  })
})

describe('a changed portable bundle', () => {
  it('a changed portable bundle is refused whichever byte was changed', () => {
    fc.assert(
      fc.property(fc.nat(WHOLE.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = WHOLE.slice()
        bytes[at] = ((bytes[at] ?? 0) + by) % 256
        expect(openPortableBundle(bytes, null).status).toBe('refused')
      }),
      { numRuns: 200 },
    )
  })

  it('a changed portable bundle is refused when it is truncated anywhere', () => {
    fc.assert(
      fc.property(fc.nat(WHOLE.length - 1), (to) => {
        expect(openPortableBundle(WHOLE.slice(0, to), null).status).toBe('refused')
      }),
    )
  })

  it.each([
    ['reason', 'plan steps is not done', 'plan steps are done', 'head', /first line/],
    [
      'plan',
      '"title":"Write"',
      '"title":"Ready"',
      'events',
      /line 3 does not have the hash that event #3 after it/,
    ],
    [
      'last event',
      '"verdict":"blocked"},"prev"',
      '"verdict":"allowed"},"prev"',
      'events',
      /events were changed/,
    ],
    ['signature', '"signature":"', '"signature":"A', 'seal', /signature does not match the seal/],
    [
      'count',
      `"count":${STOP}`,
      `"count":${STOP + 1}`,
      'seal',
      /signature does not match the seal/,
    ],
    [
      'version',
      '"portable_bundle_version":1,"project"',
      '"portable_bundle_version":2,"project"',
      'version',
      /Use a newer version of the program/,
    ],
  ])('is refused with the part that does not match: the %s', (...[, from, to, defect, words]) => {
    const opened = openPortableBundle(changed(from, to), null)
    expect(opened).toMatchObject({
      status: 'refused',
      defect,
      message: expect.stringMatching(words),
    })
  })

  it.each([
    ['a removed event', (lines: string[]) => lines.splice(2, 1), /sealed with \d+ events/],
    ['an added line', (lines: string[]) => lines.splice(2, 0, lines[2] ?? ''), /sealed with/],
    [
      'two swapped events',
      (lines: string[]) => lines.splice(2, 2, lines[3] ?? '', lines[2] ?? ''),
      /hash/,
    ],
  ])('is refused with %s', (...[, change, words]) => {
    const lines = new TextDecoder().decode(WHOLE).split('\n')
    change(lines)
    const opened = openPortableBundle(new TextEncoder().encode(lines.join('\n')), null)
    expect(opened).toMatchObject({ status: 'refused', message: expect.stringMatching(words) })
  })
})

describe('a signed portable bundle with a wrong record', () => {
  it("diverges where a recorded decision differs from core's", () => {
    const forged = chained(
      LOG.map((event) =>
        event.type === 'tool.decided'
          ? { ...event, data: { ...event.data, decision: 'allowed' as const } }
          : event,
      ),
    )
    const denied = LOG.find(({ type }) => type === 'tool.decided')?.seq
    expect(openPortableBundle(sealed(headFor(forged), forged), null)).toMatchObject({
      status: 'diverged',
      divergence: { at: denied, why: 'other_decision', recorded: { decision: 'allowed' } },
    })
  })

  it('diverges at the event that does not continue the hash chain', () => {
    const broken = LOG.map((event) => (event.seq === 2 ? { ...event, at: event.at + 1 } : event))
    expect(openPortableBundle(sealed(headFor(broken), broken), null)).toMatchObject({
      status: 'diverged',
      divergence: { at: 3, why: 'broken_chain' },
    })
  })

  it('a signed portable bundle with a wrong record is refused when a config version does not match its digest', () => {
    const head = headFor(LOG)
    const configs = head.configs.map((one) => ({ ...one, document: { ...DOCUMENT, key: 'other' } }))
    const bytes = sealed({ ...head, configs: JSON.parse(JSON.stringify(configs)) })
    expect(openPortableBundle(bytes, null)).toMatchObject({ status: 'refused', defect: 'config' })
  })
})

describe('a signed portable bundle with missing data', () => {
  const removed = 'Events older than 30 days were removed.'
  it.each([
    ['events were removed', { missing: [{ what: 'events' as const, why: removed }] }, [], removed],
    ['the config version is missing', { configs: [] }, LOG, /began with is not in the file/],
    ['the first events are missing', {}, LOG.slice(2), 'Event #1 is not in the file.'],
    ['the last event is missing', {}, LOG.slice(0, -1), /decision is #/],
  ])('is not replayable, and shows what was recorded: %s', (...[, more, events, words]) => {
    const opened = openPortableBundle(sealed({ ...headFor(LOG), ...more }, events), null)
    expect(opened).toMatchObject({
      status: 'not_replayable',
      why: [typeof words === 'string' ? words : expect.stringMatching(words)],
      reading: { from: 'told', verdict: 'blocked' },
    })
  })
})
