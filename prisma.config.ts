// Configures Prisma's command line. If its native engine could not be downloaded, uses our replacement (scripts/schema-engine.mjs), which
// is enough for generate, validate and format. Production needs neither (server/platform/db/migrate.mjs).
import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'prisma/config'

const root = import.meta.dirname
const engines = path.join(root, 'node_modules/@prisma/engines')
const native =
  fs.existsSync(engines) &&
  fs.readdirSync(engines).some((file) => file.startsWith('schema-engine-'))
if (!native && process.platform !== 'win32') {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= path.join(root, 'scripts/schema-engine.mjs')
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://localhost:5432/signalbox' },
})
