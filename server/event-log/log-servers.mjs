// @ts-check
// The protocol does not reveal if the servers keep acknowledged data through a power loss, so their monitoring addresses are asked.
import { connect } from '@nats-io/transport-node'
import { z } from 'zod'
import { Failure } from '../platform/base/failure.mjs'

const ANSWER_WITHIN_MS = 5000
/** Answer of /varz, as far as it matters. `sync_always` is left out when it is false. */
const Varz = z.object({
  server_name: z.string(),
  version: z.string(),
  jetstream: z
    .object({ config: z.object({ sync_always: z.boolean().optional() }).optional() })
    .optional(),
})

/** @param {string} list */
const listAddresses = (list) => list.split(',').map((one) => one.trim())

/**
 * @param {string} servers SIGNALBOX_EVENT_LOG
 * @returns {import('@nats-io/transport-node').NodeConnectionOptions}
 */
export function toConnectionOptions(servers) {
  const urls = listAddresses(servers).map((one) => new URL(one))
  const user = urls.find(({ username }) => username !== '')
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    ...(user === undefined
      ? {}
      : { user: decodeURIComponent(user.username), pass: decodeURIComponent(user.password) }),
    name: 'signalbox',
    timeout: ANSWER_WITHIN_MS,
  }
}

/** True before the first version with `sync_interval`. @param {string} version */
function isTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 2 || (major === 2 && minor < 10)
}

/** @param {string} address */
async function readVarz(address) {
  const url = `${address.replace(/\/+$/, '')}/varz`
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  return Varz.parse(await answer.json())
}

/**
 * Resolves with the reason why acknowledged events may be lost with the power; null: they are not. Rejects when a monitoring address does not
 * answer.
 * @param {{ version: string, names: readonly string[] }} log version of one server, and the names of all that hold the stream
 * @param {string | undefined} monitors SIGNALBOX_EVENT_LOG_MONITOR
 * @returns {Promise<string | null>}
 */
export async function findWeakness({ version, names }, monitors) {
  const tooOld = (/** @type {string} */ found) =>
    `NATS ${found} cannot write an event to disk before it acknowledges it; version 2.10 can`
  if (isTooOld(version)) return tooOld(version)
  if (monitors === undefined)
    return 'SIGNALBOX_EVENT_LOG_MONITOR is not set, and only the monitoring addresses show if its servers have "sync_interval: always"'
  const servers = await Promise.all(listAddresses(monitors).map(readVarz))
  for (const server of servers) {
    if (isTooOld(server.version)) return tooOld(server.version)
    if (server.jetstream?.config?.sync_always !== true)
      return `its server ${server.server_name} does not have "sync_interval: always"`
  }
  const missing = names.filter((name) => !servers.some((server) => server.server_name === name))
  if (missing.length === 0) return null
  return `SIGNALBOX_EVENT_LOG_MONITOR has no address of its server ${missing.join(', ')}`
}

/** @param {string} weakness */
export const describeRefusal = (weakness) =>
  `SIGNALBOX_EVENT_LOG is refused, because it may lose acknowledged events when its servers lose power: ${weakness}. Change that, or accept the risk with SIGNALBOX_EVENT_LOG_UNSAFE=power-loss.`

/**
 * Throws when the event log may lose acknowledged events and that is not accepted. A log that does not answer is checked by the server later,
 * because the console must start without it.
 * @param {import('../platform/base/variables.mjs').Given} variables
 */
export async function refuseUnsafeLog(variables) {
  const servers = variables['SIGNALBOX_EVENT_LOG']
  if (servers === undefined || variables['SIGNALBOX_EVENT_LOG_UNSAFE'] !== undefined) return
  const weakness = await askServers(servers, variables['SIGNALBOX_EVENT_LOG_MONITOR'])
  if (weakness !== null) throw new Failure('badConfiguration', describeRefusal(weakness))
}

/** Null: none was found, or not all of them answer. @param {string} servers @param {string | undefined} monitors */
async function askServers(servers, monitors) {
  try {
    const connection = await connect({ ...toConnectionOptions(servers), reconnect: false })
    const { version = '0', server_name: name = '' } = connection.info ?? {}
    await connection.close()
    return await findWeakness({ version, names: [name] }, monitors)
  } catch {
    return null
  }
}
