// @ts-check
// The schemas of files that people write also go into packages/wire, where editors find them by `$schema`. A test fails when a file is stale.
import fs from 'node:fs'
import path from 'node:path'
import { vectorsJsonSchema } from '../packages/testkit/dist/index.js'
import { jsonSchemas } from '../packages/wire/dist/json-schemas.js'
import { ROOT } from './build-steps.mjs'

const schemas = { ...jsonSchemas(), 'vectors-v1': vectorsJsonSchema() }
const write = (/** @type {string} */ file, /** @type {object} */ schema) =>
  fs.writeFileSync(path.join(ROOT, file), `${JSON.stringify(schema, null, 2)}\n`)
for (const [name, schema] of Object.entries(schemas)) write(`specs/schemas/${name}.json`, schema)
for (const name of ['config-v1', 'project-v1'])
  write(`packages/wire/schemas/${name}.json`, schemas[name])
