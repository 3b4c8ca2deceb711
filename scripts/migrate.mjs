// @ts-check
// npm run migrate: applies the migrations of this build to DATABASE_URL and exits; a job before a rolling upgrade.

import { describeError, Failure } from '../server/platform/base/failure.mjs'
import { dataFolder } from './data-folder.mjs'
import { openMigrated } from './installation.mjs'
import { readVariables } from './read-variables.mjs'

try {
  const variables = readVariables(process.env)
  const { applied, close } = await openMigrated({ variables, folder: dataFolder() })
  await close()
  const names = applied.length === 0 ? 'none' : applied.join(', ')
  process.stdout.write(`The database has every migration of this build (applied now: ${names}).\n`)
} catch (error) {
  process.exitCode = error instanceof Failure ? error.exitCode : 1
  process.stderr.write(`${describeError(error)}\n`)
}
