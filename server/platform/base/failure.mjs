// @ts-check
// Failures that a user can act on: one sentence and an exit code for each kind, never a stack trace.

export const EXIT = /** @type {const} */ ({
  usage: 2,
  nodeTooOld: 9,
  installFailed: 10,
  buildFailed: 11,
  portInUse: 12,
  alreadyRunning: 13,
  dataFolderBroken: 14,
  diskFull: 15,
  databaseUnreachable: 16,
  databaseTooOld: 17,
  migrationFailed: 18,
  serverFailed: 19,
  badConfiguration: 20,
  databaseTooNew: 21,
  badBackup: 22,
  targetNotEmpty: 23,
})

export class Failure extends Error {
  /**
   * @param {keyof typeof EXIT} kind
   * @param {string} message One sentence: what failed, and what to do.
   */
  constructor(kind, message) {
    super(message)
    this.name = 'Failure'
    this.kind = kind
    this.exitCode = EXIT[kind]
  }
}

/** @param {unknown} error */
export function describeError(error) {
  return error instanceof Error ? error.message : String(error)
}

/** True for every form in which a full disk is reported. @param {unknown} error */
export function isDiskFull(error) {
  return /ENOSPC|No space left on device|disk quota exceeded/i.test(
    error instanceof Error && 'code' in error
      ? `${error.code} ${error.message}`
      : describeError(error),
  )
}
