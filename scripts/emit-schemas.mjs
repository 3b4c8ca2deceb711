// @ts-check
// Writes specs/schemas/*.json from the schemas that packages/wire enforces, and that of the golden vectors from packages/testkit.
// A test fails when a file is stale.
import fs from 'node:fs'
import path from 'node:path'
import { vectorsJsonSchema } from '../packages/testkit/dist/index.js'
import { jsonSchemas } from '../packages/wire/dist/json-schemas.js'
import { ROOT } from './build-steps.mjs'

const schemas = { ...jsonSchemas(), 'vectors-v1': vectorsJsonSchema() }
for (const [name, schema] of Object.entries(schemas)) {
  fs.writeFileSync(
    path.join(ROOT, 'specs/schemas', `${name}.json`),
    `${JSON.stringify(schema, null, 2)}\n`,
  )
}
