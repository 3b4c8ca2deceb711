// @ts-check
// npm run restore -- FILE (docs/operations/back-up.md): verifies the whole file first. An older backup is loaded into its own schema, then migrated.
import fs from 'node:fs'
import { describeError, Failure } from '../server/platform/base/failure.mjs'
import { connect } from '../server/platform/db/connect.mjs'
import { embeddedFolder } from '../server/platform/db/embedded.mjs'
import { migrate, migrationNames } from '../server/platform/db/migrate.mjs'
import { holdsTables, loadTables } from '../server/platform/db/table-copy.mjs'
import { runBackupCommand } from './backup-command.mjs'
import { archiveInWords, countsInWords, readContent } from './backup-content.mjs'
import { openBackup } from './backup-file.mjs'
import { dataFolder, holdFolder, openFolder } from './data-folder.mjs'
import { MIGRATIONS, openDatabase } from './installation.mjs'
import { readVariables } from './read-variables.mjs'
import { readSecretsText, writeSecretsText } from './secrets.mjs'

/** @param {string} what */
const notEmpty = (what) =>
  new Failure('targetNotEmpty', `${what}. Restore into an empty one, or move this one away first.`)

/** @param {string} file @param {string | undefined} passphrase */
async function proved(file, passphrase) {
  const backup = openBackup(file, passphrase)
  const known = migrationNames(MIGRATIONS)
  const newer = backup.head.migrations.find((name) => !known.includes(name))
  if (newer !== undefined) {
    throw new Failure(
      'databaseTooNew',
      `The backup ${file} was made by a newer build (${newer}), which this one cannot read. Restore it with that build.`,
    )
  }
  for await (const _ of backup.content());
  return backup
}

/** @param {string} file @param {import('./backup-command.mjs').Cleanups} cleanups */
async function restore(file, cleanups) {
  const variables = readVariables(process.env)
  const { head, content } = await proved(file, variables['SIGNALBOX_BACKUP_PASSPHRASE'])
  const folder = dataFolder()
  const isEmbedded = variables['DATABASE_URL'] === undefined
  if (isEmbedded && embeddedFolder(folder) !== null) {
    throw notEmpty(`The data folder ${folder} already contains a database`)
  }
  const { manifest, rows, ended } = await readContent(content())
  const held = readSecretsText(folder)
  if (held !== null && manifest.secrets !== null && held !== manifest.secrets) {
    throw notEmpty(`The data folder ${folder} contains other secrets than the backup`)
  }
  openFolder(folder)
  const hold = await holdFolder(folder)
  cleanups.push(() => hold.release())
  const database = await openDatabase({ variables, folder })
  const discard = () => {
    const made = isEmbedded ? embeddedFolder(folder) : null
    if (made !== null) fs.rmSync(made, { recursive: true, force: true })
  }
  cleanups.push(discard, () => database.close())
  const client = await connect(database.directUrl, 'DATABASE_URL')
  cleanups.push(() => client.end())
  if (await holdsTables(client))
    throw notEmpty('The database at DATABASE_URL already contains tables')
  const target = { url: database.directUrl, folder: MIGRATIONS }
  const load = async () => {
    await migrate({ ...target, only: head.migrations })
    const loaded = await loadTables(client, { ...manifest, rows, ended })
    await migrate(target)
    await client.query('INSERT INTO restores (backup_at) VALUES ($1)', [head.createdAt])
    return loaded
  }
  const counts = await load().catch((error) => {
    if (isEmbedded || error instanceof Failure) throw error
    throw new Failure(
      'migrationFailed',
      `The backup could not be loaded: ${describeError(error)}. The database now contains empty tables. Drop it and create it again before you retry.`,
    )
  })
  if (manifest.secrets !== null) writeSecretsText(folder, manifest.secrets)
  cleanups.splice(cleanups.indexOf(discard), 1)
  const archive = archiveInWords(counts, 'Restore them, too.')
  return `The backup of ${head.createdAt} is restored: ${countsInWords(counts)}.${archive} Start Signalbox now.`
}

await runBackupCommand('restore', restore)
