// @ts-check
// Migrates an empty database with our own runner, then compares it with schema.prisma by Prisma's official engine (WebAssembly, no download).
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import { startEmbedded } from '../server/platform/db/embedded.mjs'
import { migrate } from '../server/platform/db/migrate.mjs'
import { ROOT } from './build-steps.mjs'

/** PostgreSQL's one-byte "char" in the catalog, which the adapter does not know and the engine reads as a character. */
const CATALOG_CHAR = 18

async function loadEngine() {
  const binding = fileURLToPath(import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'))
  const module = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = fs.readFileSync(path.join(path.dirname(binding), 'schema_engine_bg.wasm'))
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (/** @type {string} */ text) => console.error(text),
    },
  })
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': module })
  module.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  return module.SchemaEngine
}

const TEXT = 25

/** Adds to the adapter the one type that the catalog has and applications do not. @param {string} url */
function adapterFor(url) {
  const factory = new PrismaPg({ connectionString: url })
  const connect = factory.connect.bind(factory)
  factory.connect = async () => withCatalogChar(await connect())
  return bindMigrationAwareSqlAdapterFactory(factory)
}

/** @param {any} adapter its query methods are replaced */
function withCatalogChar(adapter) {
  const performIO = adapter.performIO.bind(adapter)
  const queryRaw = adapter.queryRaw.bind(adapter)
  adapter.queryRaw = async (/** @type {unknown} */ query) => {
    /** @type {number[]} */
    const characters = []
    adapter.performIO = async (/** @type {unknown} */ request) => {
      const result = await performIO(request)
      for (const [i, field] of result.fields.entries()) {
        if (field.dataTypeID !== CATALOG_CHAR) continue
        field.dataTypeID = TEXT
        characters.push(i)
      }
      return result
    }
    const answer = await queryRaw(query)
    for (const i of characters) answer.columnTypes[i] = ColumnTypeEnum.Character
    return answer
  }
  return adapter
}

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-schema-'))
const database = await startEmbedded({ dataDir, durable: false })
let difference = 'The comparison did not run.'
try {
  await migrate({ url: database.url, folder: path.join(ROOT, 'prisma/migrations') })
  const SchemaEngine = await loadEngine()
  const engine = await SchemaEngine.new(
    { datamodels: undefined },
    () => undefined,
    adapterFor(database.url),
  )
  const schema = {
    path: 'schema.prisma',
    content: fs.readFileSync(path.join(ROOT, 'prisma/schema.prisma'), 'utf8'),
  }
  const result = await engine.diff({
    from: { tag: 'schemaDatasource', files: [schema], configDir: ROOT },
    to: { tag: 'schemaDatamodel', files: [schema] },
    script: false,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  })
  difference = result.exitCode === 0 ? '' : (result.stdout ?? 'The schemas differ.')
} finally {
  await database.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
}
if (difference !== '') console.error(difference)
process.exit(difference === '' ? 0 : 1)
