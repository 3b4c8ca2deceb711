import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSchemaAddress, withoutSchemaAddress, withSchemaAddress } from './schema-address.ts'

test.each([
  ['{"$schema": "a", "ns": "b"}', '{"ns": "b"}'],
  ['{\n  "ns": "b",\n  "$schema": "a"\n}\n', '{\n  "ns": "b"\n}\n'],
  ['{ "ns": "b", "$schema": "a", "key": "c" }', '{ "ns": "b", "key": "c" }'],
  ['{"$schema": "a"}', '{}'],
])('the schema address of %j is removed, and every other character stays', (text, rest) => {
  expect(withoutSchemaAddress(text)).toBe(rest)
})

test.each([
  '{"$schema": 1}',
  '{"inside": {"$schema": "a"}}',
  '["$schema"]',
  '{"$schema": "a",',
  '',
])('%j names no schema and stays whole', (text) => {
  expect(withoutSchemaAddress(text)).toBe(text)
  expect(readSchemaAddress(text)).toBeNull()
})

test('adding a schema address and removing it gives the same text', () => {
  const object = fc.dictionary(fc.constantFrom('ns', 'key', 'a b'), fc.jsonValue(), { minKeys: 1 })
  const indent = fc.constantFrom('', '  ', '\t')
  fc.assert(
    fc.property(object, indent, fc.string(), (value, space, address) => {
      const text = JSON.stringify(value, null, space)
      const named = withSchemaAddress(text, address)
      expect(readSchemaAddress(named)).toBe(address)
      expect(withoutSchemaAddress(named)).toBe(text)
    }),
  )
})
