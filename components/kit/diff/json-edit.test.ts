import type { JsonObject, JsonValue } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyEdit,
  insertItem,
  type JsonPath,
  parsePointer,
  rangeAt,
  removeValue,
  renameKey,
  setValue,
  swapItems,
  type TextEdit,
} from './json-edit.ts'

const TEXT = `{
  "b": { "x": 1,   "y": [1,2 ,3] },

  "a": [
    { "id": "one" },
    { "id": "two" }
  ]
}
`

function edited(edit: TextEdit | null, text = TEXT): string {
  if (edit === null) throw new Error('no edit')
  return applyEdit(text, edit)
}

describe('JSON edits', () => {
  test('replace a scalar in place', () => {
    expect(edited(setValue(TEXT, ['b', 'x'], 22))).toBe(TEXT.replace('"x": 1', '"x": 22'))
  })

  test('add a property in the style of its object, on one line or on its own', () => {
    expect(edited(setValue(TEXT, ['b', 'z'], true))).toContain('"y": [1,2 ,3], "z": true }')
    expect(edited(setValue(TEXT, ['c'], { deep: ['q'] }))).toContain(
      '  ],\n  "c": {\n    "deep": ["q"]\n  }\n}\n',
    )
  })

  test('create missing parents', () => {
    expect(JSON.parse(edited(setValue('{}', ['limits', 'max'], 3), '{}'))).toEqual({
      limits: { max: 3 },
    })
    expect(edited(setValue('{}', ['a'], 1), '{}')).toBe('{\n  "a": 1\n}')
  })

  test('add, remove and replace items without touching the others', () => {
    const added = edited(insertItem(TEXT, ['a'], { index: 1, value: { id: 'new' } }))
    expect(added).toContain(
      '{ "id": "one" },\n    {\n      "id": "new"\n    },\n    { "id": "two" }',
    )
    expect(edited(removeValue(TEXT, ['b', 'y', 1]))).toContain('"y": [1 ,3]')
    expect(edited(removeValue(TEXT, ['b']))).toBe(TEXT.replace(/"b".*\n\n {2}/, ''))
    expect(edited(swapItems(TEXT, ['a'], 0))).toContain(
      '[\n    { "id": "two" },\n    { "id": "one" }\n  ]',
    )
    expect(edited(insertItem(TEXT, ['n'], { index: 0, value: 'first' }))).toContain(
      '"n": ["first"]',
    )
  })

  test('rename a key in place, and never onto another', () => {
    expect(edited(renameKey(TEXT, ['b', 'x'], 'k"'))).toContain('{ "k\\"": 1,   "y"')
    expect(renameKey(TEXT, ['b', 'x'], 'y')).toBeNull()
  })

  test('JSON edits never write to a text that is not JSON', () => {
    for (const text of ['', '{', '{"a": 1,}', '{"a": 1} x', '// c\n{}']) {
      expect(setValue(text, ['a'], 2)).toBeNull()
      expect(removeValue(text, ['a'])).toBeNull()
      expect(insertItem(text, ['a'], { index: 0, value: 2 })).toBeNull()
    }
  })

  test('find the range of a pointer', () => {
    const path = parsePointer('/a/1/id', TEXT)
    expect(path).toEqual(['a', 1, 'id'])
    const range = rangeAt(TEXT, path)
    expect(TEXT.slice(range?.from, range?.to)).toBe('"two"')
    expect(parsePointer('/a~1b/~0', '{"a/b": {"~": 1}}')).toEqual(['a/b', '~'])
  })
})

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
const key = fc
  .oneof(fc.string({ minLength: 1, maxLength: 8 }), fc.constantFrom('id', 'a', 'b'))
  .filter((name) => name !== '__proto__')
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))
const object = fc.dictionary(key, tree, { maxKeys: 5, noNullPrototype: true })

const layout = fc.constantFrom<(value: JsonValue) => string>(
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => `${JSON.stringify(value, null, '\t')}\n`,
  (value) => ` ${JSON.stringify(value, null, 1).replaceAll('\n', '  ')} `,
)

function paths(value: JsonValue, here: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return []
  const steps: readonly (readonly [string | number, JsonValue])[] = Array.isArray(value)
    ? value.map((item: JsonValue, i: number) => [i, item] as const)
    : Object.entries(value)
  return steps.flatMap(([step, below]) => [[...here, step], ...paths(below, [...here, step])])
}

/** The reference: the same edit on the value. */
function change(value: JsonValue, path: JsonPath, edit: (parent: never, step: never) => void) {
  const copy: JsonValue = structuredClone(value)
  const parent = path.slice(0, -1).reduce<unknown>((node, step) => (node as never)[step], copy)
  edit(parent as never, path.at(-1) as never)
  return copy
}

describe('parsing an edited text equals editing the parsed value', () => {
  const some = fc.tuple(object, layout, fc.nat(), tree)

  test('parsing an edited text equals editing the parsed value after an existing value is set', () => {
    fc.assert(
      fc.property(some, ([value, print, pick, next]) => {
        const all = paths(value)
        const path = all[pick % Math.max(1, all.length)]
        fc.pre(path !== undefined)
        const text = print(value)
        const edit = setValue(text, path, next)
        const expected = change(value, path, (parent: never, step: never) => {
          ;(parent as Record<string, unknown>)[step] = next
        })
        expect(JSON.parse(edited(edit, text))).toEqual(expected)
        // The text outside the range of the value stays the same.
        expect(edit).toMatchObject(rangeAt(text, path) ?? {})
      }),
    )
  })

  test('parsing an edited text equals editing the parsed value after a property is added', () => {
    fc.assert(
      fc.property(some, key, ([value, print, _pick, next], name) => {
        fc.pre(!Object.hasOwn(value, name))
        const text = print(value)
        const after = edited(setValue(text, [name], next), text)
        expect(JSON.parse(after)).toEqual({ ...value, [name]: next })
        expect(Object.keys(JSON.parse(after) as object)).toEqual(
          Object.keys(JSON.parse(JSON.stringify({ ...value, [name]: next })) as object),
        )
      }),
    )
  })

  test('parsing an edited text equals editing the parsed value after a value is removed or an item is inserted', () => {
    fc.assert(
      fc.property(some, ([value, print, pick, next]) => {
        const all = paths(value)
        const path = all[pick % Math.max(1, all.length)]
        fc.pre(path !== undefined)
        const text = print(value)
        const without = change(value, path, (parent: never, step: never) => {
          if (Array.isArray(parent)) (parent as unknown[]).splice(step, 1)
          else delete parent[step]
        })
        expect(JSON.parse(edited(removeValue(text, path), text))).toEqual(without)
        const step = path.at(-1)
        if (typeof step !== 'number') return
        const array = path.slice(0, -1)
        const withItem = change(value, path, (parent: never) => {
          ;(parent as unknown[]).splice(step, 0, next)
        })
        const edit = insertItem(text, array, { index: step, value: next })
        expect(JSON.parse(edited(edit, text))).toEqual(withItem)
      }),
    )
  })

  test('parsing an edited text equals editing the parsed value and the text is restored when an edit is reversed', () => {
    fc.assert(
      fc.property(object, layout, key, (value, print, name) => {
        const fresh: JsonObject = value
        fc.pre(!Object.hasOwn(fresh, name) && Object.keys(fresh).length > 0)
        const text = print(value)
        const added = edited(setValue(text, [name], 1), text)
        expect(edited(removeValue(added, [name]), added)).toBe(text)
      }),
    )
  })
})
