// @ts-check
// npm run backup -- FILE: one consistent snapshot, whether the server runs or not (docs/operations/back-up.md). Changes nothing.
import fs from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../server/platform/base/failure.mjs'
import { connect } from '../server/platform/db/connect.mjs'
import { embeddedFolder } from '../server/platform/db/embedded.mjs'
import { readSealed } from '../server/platform/db/sealed-secrets.mjs'
import { appliedMigrations, beginSnapshot } from '../server/platform/db/table-copy.mjs'
import { runBackupCommand } from './backup-command.mjs'
import { archiveInWords, compressed, countsInWords, writeContent } from './backup-content.mjs'
import { sealing } from './backup-file.mjs'
import { dataFolder } from './data-folder.mjs'
import { openDatabase } from './installation.mjs'
import { readVariables } from './read-variables.mjs'
import { readSecretsText } from './secrets.mjs'

/** @param {string} file @param {boolean} isEncrypted */
function requirePlace(file, isEncrypted) {
  if (fs.existsSync(file)) {
    throw new Failure(
      'usage',
      `The file ${file} already exists. Choose another name; a backup never replaces a file.`,
    )
  }
  const folder = path.dirname(file)
  const mode = fs.statSync(folder, { throwIfNoEntry: false })?.mode
  if (mode === undefined)
    throw new Failure('usage', `The folder ${folder} does not exist. Create it first.`)
  if (!isEncrypted && (mode & 0o077) !== 0 && process.platform !== 'win32') {
    throw new Failure(
      'badConfiguration',
      `Other users can open the folder ${folder}, and the backup contains secrets. Set SIGNALBOX_BACKUP_PASSPHRASE to encrypt it, or choose a folder of mode 0700.`,
    )
  }
}

/** @param {import('pg').Client} client @param {readonly string[]} migrations */
async function areSealed(client, migrations) {
  return migrations.includes('0034_sealed_secrets') && (await readSealed(client)) !== null
}

/** @param {string} file @param {import('./backup-command.mjs').Cleanups} cleanups */
async function backUp(file, cleanups) {
  const variables = readVariables(process.env)
  const passphrase = variables['SIGNALBOX_BACKUP_PASSPHRASE']
  requirePlace(file, passphrase !== undefined)
  const folder = dataFolder()
  const nothing = () =>
    new Failure(
      'dataFolderBroken',
      'There is no Signalbox here to back up. Set SIGNALBOX_DATA_DIR to its data folder, or DATABASE_URL.',
    )
  if (variables['DATABASE_URL'] === undefined && embeddedFolder(folder) === null) throw nothing()
  const database = await openDatabase({ variables, folder })
  cleanups.push(() => database.close())
  const client = await connect(database.directUrl, 'DATABASE_URL')
  cleanups.push(() => client.end())
  if ((await appliedMigrations(client)).length === 0) throw nothing()
  const { migrations, ...snapshot } = await beginSnapshot(client)
  const isSealed = await areSealed(client, migrations)
  const secrets = isSealed ? null : readSecretsText(folder)
  const about = { createdAt: new Date().toISOString(), migrations }
  const unfinished = `${file}.unfinished`
  cleanups.push(() => fs.rmSync(unfinished, { force: true }))
  /** @type {Map<string, number>} */
  const counts = new Map()
  await pipeline(
    writeContent(client, { ...snapshot, secrets }, counts),
    compressed(),
    sealing(about, passphrase),
    fs.createWriteStream(unfinished, { mode: 0o600, flush: true }),
  )
  fs.renameSync(unfinished, file)
  const form = passphrase === undefined ? 'not encrypted' : 'encrypted'
  const size = (fs.statSync(file).size / 1e6).toFixed(1)
  const missing = {
    sealed: ' Also keep SIGNALBOX_SECRET, which decrypts its secrets.',
    given: ' It contains no secrets, because they come from the environment. Keep them, too.',
    filed: '',
  }[isSealed ? 'sealed' : secrets === null ? 'given' : 'filed']
  return `The backup ${file} contains ${countsInWords(counts)} (${form}, ${size} MB).${missing}${archiveInWords(counts, 'Back them up, too.')}`
}

await runBackupCommand('backup', backUp)
