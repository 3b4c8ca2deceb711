import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { jsonSchemas } from './json-schemas.ts'

const FOLDER = path.join(import.meta.dirname, '../../../specs/schemas')

it.each(Object.entries(jsonSchemas()))(
  'specs/schemas/%s.json is the schema that the code enforces (npm run emit:schemas)',
  (name, schema) => {
    const published: unknown = JSON.parse(
      fs.readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'),
    )
    expect(published).toEqual(JSON.parse(JSON.stringify(schema)))
  },
)

it('specs/schemas holds exactly the schemas of the code and that of the golden vectors', () => {
  const files = fs.readdirSync(FOLDER).sort()
  expect(files).toEqual(
    [...Object.keys(jsonSchemas()), 'vectors-v1'].map((name) => `${name}.json`).sort(),
  )
})

it.each(['config-v1', 'project-v1'])(
  'packages/wire/schemas holds the published schema %s for editors',
  (name) => {
    const held = fs.readFileSync(path.join(import.meta.dirname, `../schemas/${name}.json`), 'utf8')
    expect(held).toBe(fs.readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'))
  },
)
