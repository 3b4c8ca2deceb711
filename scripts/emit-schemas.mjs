// @ts-check
// Writes specs/schemas/*.json from the schemas that packages/wire enforces. A test fails when a file is stale.
import fs from 'node:fs'
import path from 'node:path'
import { jsonSchemas } from '../packages/wire/dist/json-schemas.js'
import { ROOT } from './build-steps.mjs'

for (const [name, schema] of Object.entries(jsonSchemas())) {
  fs.writeFileSync(
    path.join(ROOT, 'specs/schemas', `${name}.json`),
    `${JSON.stringify(schema, null, 2)}\n`,
  )
}
