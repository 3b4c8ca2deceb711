// @ts-check
// npm run secret -- rotate: seals the secrets of the installation with SIGNALBOX_NEW_SECRET instead of SIGNALBOX_SECRET.

import { describeError, Failure } from '../server/platform/base/failure.mjs'
import { resealSecrets } from '../server/platform/db/sealed-secrets.mjs'
import { dataFolder } from './data-folder.mjs'
import { openMigrated, withClient } from './installation.mjs'
import { readVariables } from './read-variables.mjs'

async function rotate() {
  const variables = readVariables(process.env)
  const { SIGNALBOX_SECRET: from, SIGNALBOX_NEW_SECRET: to } = variables
  if (from === undefined || to === undefined) {
    throw new Failure(
      'badConfiguration',
      'Set SIGNALBOX_SECRET to the current secret and SIGNALBOX_NEW_SECRET to its replacement.',
    )
  }
  const database = await openMigrated({ variables, folder: dataFolder() })
  try {
    await withClient(database.directUrl, (client) => resealSecrets(client, { from, to }))
  } finally {
    await database.close()
  }
}

try {
  if (process.argv[2] !== 'rotate' || process.argv.length > 3) {
    throw new Failure('usage', 'The command is "npm run secret -- rotate".')
  }
  await rotate()
  process.stdout.write(
    'The secrets are sealed with SIGNALBOX_NEW_SECRET. Set SIGNALBOX_SECRET of every replica to it; running replicas continue.\n',
  )
} catch (error) {
  process.exitCode = error instanceof Failure ? error.exitCode : 1
  process.stderr.write(`${describeError(error)}\n`)
}
