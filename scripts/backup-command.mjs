// @ts-check
// Exit codes: server/platform/base/failure.mjs.
import path from 'node:path'
import { describeError, Failure, isDiskFull } from '../server/platform/base/failure.mjs'

/** @typedef {(() => unknown)[]} Cleanups called in reverse order at the end, even after a signal */

/** A relative path is relative to the folder in which npm was called. @param {string} name */
function fileArgument(name) {
  const [file, ...others] = process.argv.slice(2)
  if (file === undefined || file.startsWith('-') || others.length > 0) {
    throw new Failure('usage', `The command is "npm run ${name} -- FILE".`)
  }
  return path.resolve(process.env['INIT_CWD'] ?? process.cwd(), file)
}

/**
 * @param {string} name
 * @param {(file: string, cleanups: Cleanups) => Promise<string>} work resolves with one sentence about the result
 */
export async function runBackupCommand(name, work) {
  /** @type {Cleanups} */
  const cleanups = []
  const cleanUp = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(1)))
  }
  try {
    process.stdout.write(`${await work(fileArgument(name), cleanups)}\n`)
  } catch (error) {
    process.exitCode = error instanceof Failure ? error.exitCode : isDiskFull(error) ? 15 : 1
    process.stderr.write(
      `${isDiskFull(error) ? `The disk is full, so the ${name} failed. Free some space and try again.` : describeError(error)}\n`,
    )
  } finally {
    await cleanUp()
  }
}
