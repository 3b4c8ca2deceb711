// @ts-check
// One JSON object per line on standard output. Plain JavaScript, because scripts/serve.mjs logs before Next has loaded anything.
import { AsyncLocalStorage } from 'node:async_hooks'
import pino from 'pino'

/** @typedef {{ readonly requestId: string, isUnavailable: boolean }} RequestNote `isUnavailable`: it failed for want of the database */
/** @typedef {{ readonly logger: pino.Logger, readonly requests: AsyncLocalStorage<RequestNote> }} Log */

// Kept on globalThis because serve.mjs and Next's bundles each load this module, and must share the current request.
const holder = /** @type {{ signalboxLog?: Log }} */ (globalThis)

/** @returns {Log} */
function open() {
  /** @type {AsyncLocalStorage<RequestNote>} */
  const requests = new AsyncLocalStorage()
  const options = {
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (/** @type {string} */ level) => ({ level }) },
    mixin: () => {
      const request = requests.getStore()
      return request === undefined ? {} : { requestId: request.requestId }
    },
  }
  // Written at once, so that the last line before a crash is not lost.
  const write = (/** @type {string} */ line) => void process.stdout.write(line)
  return { logger: pino(options, { write }), requests }
}

holder.signalboxLog ??= open()

export const { logger, requests } = holder.signalboxLog

/** Notes that the current request fails because the database is away. */
export function noteUnavailable() {
  const request = requests.getStore()
  if (request !== undefined) request.isUnavailable = true
}
