import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { extendedConfigDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { parseTree } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { applyEdit, type JsonPath, removeValue, setValue } from './json-edit.ts'
import { valueAt } from './json-values.ts'

const RUNS = { numRuns: IS_SOAK ? 300 : 150 }
/** Hundreds of documents; the duration is not part of the test. */
const PATIENCE = { timeout: 60_000 }

const laidOut = (value: JsonValue): fc.Arbitrary<string> => {
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    return join(items.map(laidOut), '[', ']')
  }
  if (!isJsonObject(value)) return fc.constant(JSON.stringify(value))
  const fields = Object.entries(value)
  return fc.shuffledSubarray(fields, { minLength: fields.length }).chain((shuffled) =>
    join(
      shuffled.map(([name, inner]) =>
        laidOut(inner).map((text) => `${JSON.stringify(name)}:${text}`),
      ),
      '{',
      '}',
    ),
  )
}

const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' \n\n    ')

function join(parts: readonly fc.Arbitrary<string>[], open: string, close: string) {
  return fc
    .tuple(
      fc.tuple(...parts),
      fc.array(gap, { minLength: 2 * parts.length + 1, maxLength: 2 * parts.length + 1 }),
    )
    .map(([texts, gaps]) => {
      const inner = texts.map((text, at) => `${gaps[2 * at]}${text}${gaps[2 * at + 1]}`)
      return `${open}${inner.join(',')}${inner.length === 0 ? gaps.at(-1) : ''}${close}`
    })
}

const config = extendedConfigDocument.chain((document) => {
  // A document is JSON, so undefined fields are removed.
  const value: JsonObject = JSON.parse(JSON.stringify(document))
  return laidOut(value).map((text) => ({ value, text }))
})

function listLeafPaths(value: JsonValue, path: JsonPath = []): readonly JsonPath[] {
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    return items.flatMap((item, at) => listLeafPaths(item, [...path, at]))
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) => listLeafPaths(inner, [...path, name]))
  }
  return [path]
}

test(
  'a form edit changes no character of a text when a field is set to its own value',
  PATIENCE,
  () => {
    fc.assert(
      fc.property(config, ({ value, text }) => {
        for (const path of listLeafPaths(value)) {
          const edit = setValue(text, path, valueAt(value, path) ?? null)
          expect([path, edit === null ? null : applyEdit(text, edit)]).toEqual([path, text])
        }
      }),
      RUNS,
    )
  },
)

test('a form edit restores the text when a field is set back', PATIENCE, () => {
  fc.assert(
    fc.property(config, fc.nat(), fc.string(), ({ value, text }, pick, typed) => {
      const leaves = listLeafPaths(value)
      const path = leaves[pick % leaves.length] ?? []
      const edit = setValue(text, path, typed)
      if (edit === null) throw new Error('The field has no place.')
      const written = applyEdit(text, edit)
      expect(valueAt(JSON.parse(written), path)).toBe(typed)
      // No character outside of the value changed.
      expect(written.startsWith(text.slice(0, edit.from))).toBe(true)
      expect(written.endsWith(text.slice(edit.to))).toBe(true)
      const back = setValue(written, path, valueAt(value, path) ?? null)
      expect(back === null ? null : applyEdit(written, back)).toBe(text)
    }),
    RUNS,
  )
})

test('a form edit restores the text when an added field is removed', PATIENCE, () => {
  fc.assert(
    fc.property(config, ({ value, text }) => {
      const edit = setValue(text, ['description'], 'x')
      if (edit === null || 'description' in value) return
      const written = applyEdit(text, edit)
      expect(listJsonKeys(written)).toEqual([...listJsonKeys(text), 'description'])
      const back = removeValue(written, ['description'])
      expect(back === null ? null : applyEdit(written, back)).toBe(text)
    }),
    RUNS,
  )
})

test('a form edit never changes a text that is not JSON', PATIENCE, () => {
  fc.assert(
    fc.property(config, fc.nat(), ({ text }, pick) => {
      const broken = `${text.slice(0, pick % text.length)}`
      expect(setValue(broken, ['name'], 'x')).toBeNull()
      expect(removeValue(broken, ['name'])).toBeNull()
    }),
    RUNS,
  )
})

function listJsonKeys(text: string): readonly unknown[] {
  return (parseTree(text)?.children ?? []).map(({ children }) => children?.[0]?.value)
}
