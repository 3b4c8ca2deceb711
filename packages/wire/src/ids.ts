// Ids: a prefix and 26 characters of Crockford base 32, time first, so that ids of one kind sort by age. Ids of events, stops, decisions
// and approvals are derived from session and sequence number, so they need no table.

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_LENGTH = 10
const RANDOM_LENGTH = 16

/** `now`: epoch ms. `random`: at least 16 bytes of strong randomness. */
export function newId(
  prefix: string,
  { now, random }: { readonly now: number; readonly random: Uint8Array },
): string {
  if (random.length < RANDOM_LENGTH) throw new RangeError('An id needs 16 random bytes.')
  let time = ''
  for (let i = 0, rest = now; i < TIME_LENGTH; i++, rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time
  }
  const tail = Array.from(random.subarray(0, RANDOM_LENGTH), (byte) => ALPHABET.charAt(byte % 32))
  return `${prefix}_${time}${tail.join('')}`
}

/** Prefix of the ids of imported sessions. `newId` never returns one, because its alphabet has no lowercase letters. */
export const IMPORTED_SESSION_START = 'sess_wink'

const IMPORTED = new RegExp(`^${IMPORTED_SESSION_START}[0-9a-f]{24}$`)

/** `hash`: of the bundle's own id, in hex. */
export function importedSessionId(hash: string): string {
  return `${IMPORTED_SESSION_START}${hash.slice(0, 24)}`
}

/** True if the session was imported: Signalbox enforced nothing in it, and no figure counts it. */
export function isImportedSession(id: string): boolean {
  return IMPORTED.test(id)
}

/** Prefix of the ids of sessions of the product's demo. `newId` never returns one, as for imported sessions. */
export const DEMO_SESSION_START = 'sess_demo'

/** `source`: as for `newId`. */
export function newDemoSessionId(source: Parameters<typeof newId>[1]): string {
  return newId('sess', source).replace('sess_', DEMO_SESSION_START)
}

/** True for a session of the product's demo: its rules are enforced, and no figure counts it. */
export function isDemoSession(id: string): boolean {
  return id.startsWith(DEMO_SESSION_START)
}

/** False for imported sessions and those of the demo: no figure, alert or item of the attention list includes them. */
export function isCountedSession(id: string): boolean {
  return !isDemoSession(id) && !isImportedSession(id)
}

/** Name of the runtime that runs the demo. Figures about runtimes leave it out. */
export const DEMO_RUNTIME = 'signalbox-demo'

/** Namespace of the demo's configs. */
export const DEMO_NAMESPACE = 'demo'

function placed(prefix: string, session: string, seq: number): string {
  return `${prefix}_${session.replace(/^sess_/, '')}_${seq}`
}

export function toEventId(session: string, seq: number): string {
  return placed('evt', session, seq)
}

/** `seq`: of the stop.decided event. */
export function toStopId(session: string, seq: number): string {
  return placed('stop', session, seq)
}

/** `seq`: of the tool.decided or content.decided event. */
export function toDecisionId(session: string, seq: number): string {
  return placed('dec', session, seq)
}

/** `seq`: of the approval.requested event. */
export function toApprovalId(session: string, seq: number): string {
  return placed('apr', session, seq)
}

/** Accepts ids of events, stops, decisions and approvals; null for anything else. */
export function parseEventId(
  id: string,
): { readonly session: string; readonly seq: number } | null {
  const match = /^(?:evt|stop|dec|apr)_([A-Za-z0-9]{1,40})_([1-9][0-9]{0,9})$/.exec(id)
  if (match === null) return null
  return { session: `sess_${match[1] ?? ''}`, seq: Number(match[2]) }
}
