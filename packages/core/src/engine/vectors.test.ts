import fs from 'node:fs'
import path from 'node:path'
import { readVectorFiles, vectorCases, vectorsJsonSchema } from '@signalbox/testkit'
import { describe, expect, it } from 'vitest'
import { celExpressions } from '../expression/index.ts'

const SPECS = path.join(import.meta.dirname, '../../../../specs')
const files = readVectorFiles(path.join(SPECS, 'vectors'))
const expressions = celExpressions()

describe.each(files)('$file.area', ({ name, file }) => {
  it('is in the file of its area', () => expect(name).toBe(`${file.area}.json`))

  it.each(vectorCases(file, expressions))('$id', ({ run }) => expect(run()).toEqual([]))
})

it('no two vectors share an id', () => {
  const ids = files.flatMap(({ file }) => file.vectors.map(({ id }) => id))
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})

it('specs/schemas/vectors-v1.json is the schema that validates the vector files (npm run emit:schemas)', () => {
  const published = fs.readFileSync(path.join(SPECS, 'schemas/vectors-v1.json'), 'utf8')
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(vectorsJsonSchema())))
})
