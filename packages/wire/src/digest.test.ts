import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64Url, toBase64Url } from './base64url.ts'
import { canonicalJson, computeDigest, eventHash } from './digest.ts'
import { newId, parseEventId, toDecisionId, toEventId, toStopId } from './ids.ts'
import { promptFromPath, promptPath } from './prompt-path.ts'
import { derivePublicKey, signText, verifyText } from './signature.ts'

const hex = (text: string) =>
  toBase64Url(Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))

describe('canonical JSON', () => {
  it('sorts keys by UTF-16 units and prints numbers as in RFC 8785', () => {
    const value = JSON.parse(
      '{"\\u20ac":1,"\\r":2,"1":3,"\\ud83d\\ude00":4,"n":[56.0,1e30,4.50,2e-3,1e-27]}',
    )
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":3,"n":[56,1e+30,4.5,0.002,1e-27],"€":1,"😀":4}')
  })

  it('computes the same digest for any order of keys', () => {
    expect(computeDigest({ a: 1, b: [2] })).toBe(computeDigest({ b: [2], a: 1 }))
    expect(computeDigest({})).toBe(
      'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    )
  })

  it('writes any JSON value so that it parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('omits absent members, writes absent items as null and uses toJSON', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, new Date(0)] })).toBe(
      '{"a":[null,"1970-01-01T00:00:00.000Z"]}',
    )
  })

  it('refuses values that JSON cannot hold', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, 1n])
      expect(() => canonicalJson({ held: [value === undefined ? Symbol() : value] })).toThrow(
        TypeError,
      )
    expect(() => canonicalJson(undefined)).toThrow(TypeError)
  })

  it('gives an event another hash when the previous hash differs', () => {
    expect(eventHash({ seq: 2, prev: 'a' })).not.toBe(eventHash({ seq: 2, prev: 'b' }))
  })
})

describe('signatures', () => {
  const seed = hex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60')
  const key = hex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a')

  it('agree with the first example of RFC 8032', () => {
    expect(derivePublicKey(seed)).toBe(key)
    expect(signText('', seed)).toBe(
      hex(
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
      ),
    )
  })

  it('verify the signed text and no other text', () => {
    const signature = signText('revision 7', seed)
    expect(verifyText('revision 7', signature, key)).toBe(true)
    expect(verifyText('revision 8', signature, key)).toBe(false)
    expect(verifyText('revision 7', 'nonsense!', key)).toBe(false)
    expect(verifyText('revision 7', '', '')).toBe(false)
  })
})

describe('ids', () => {
  it('sort by time and have 26 characters after the prefix', () => {
    const random = new Uint8Array(16)
    const early = newId('sess', { now: 1_000, random })
    const late = newId('sess', { now: 2_000_000_000_000, random })
    expect(early < late).toBe(true)
    expect(early).toMatch(/^sess_[0-9A-Z]{26}$/)
  })

  it('ids of events, stops and decisions encode their position', () => {
    for (const id of [
      toEventId('sess_A1', 7),
      toStopId('sess_A1', 7),
      toDecisionId('sess_A1', 7),
    ]) {
      expect(parseEventId(id)).toEqual({ session: 'sess_A1', seq: 7 })
    }
    expect(parseEventId('evt_A1')).toBeNull()
    expect(parseEventId('evt_A1_0')).toBeNull()
  })

  it('base64url bytes and prompt paths are restored from their encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes)
      }),
    )
    expect(promptPath('examples/code', 'main')).toBe('examples~code/main')
    expect(promptFromPath('examples~code', 'main')).toEqual({ ns: 'examples/code', key: 'main' })
  })
})
