// Sessions and calls come from a printed seed. Engines without sessions get the notes that a host must keep.
import { buildEvent, fileFacts } from '../base/rules.mjs'

const SUCCEEDING = ['lint', 'build', 'test']
export const READERS = ['read_file', 'open_file']
const WRITERS = ['write_file', 'write_file', 'write_file', 'write_file-4', 'write_file-7', 'rename']
const FILES = 12

export function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function pickOne(random, list) {
  return list[Math.floor(random() * list.length)]
}

function randomFact(random) {
  const dice = random()
  if (dice < 0.15) return { exists: false }
  if (dice < 0.2) return { exists: 'unknown' }
  if (dice < 0.25) return { exists: true, kind: 'directory' }
  return { exists: true, kind: 'file', fingerprint: random() < 0.9 ? 'sha256:1' : 'sha256:2' }
}

/** A session of `calls` finished calls over `files` files: its events, and the same session as a host's own notes. */
export function randomSession(random, { calls, files = FILES }) {
  const events = []
  const notes = { succeeded: new Set(), seen: { read_file: new Map(), open_file: new Map() } }
  for (let i = 0; i < calls; i++) {
    const tool = random() < 0.2 ? pickOne(random, SUCCEEDING) : pickOne(random, READERS)
    const outcome = random() < 0.9 ? 'success' : 'failure'
    const path = `src/file-${Math.floor(random() * files)}.ts`
    const reads = READERS.includes(tool)
    const facts = reads
      ? fileFacts(path, { exists: true, kind: 'file', fingerprint: 'sha256:1' })
      : undefined
    const call = { call_id: `c${i}`, tool, facts }
    events.push(
      buildEvent(2 * i + 1, 'tool.requested', { ...call, args: reads ? { path } : {} }),
      buildEvent(2 * i + 2, 'tool.invoked', { ...call, outcome }),
    )
    if (outcome !== 'success') continue
    notes.succeeded.add(tool)
    if (reads) notes.seen[tool].set(path, 'sha256:1')
  }
  return { events, notes }
}

export function randomCall(random, { files = FILES, tool } = {}) {
  const path = `src/file-${Math.floor(random() * files)}.ts`
  return { tool: tool ?? pickOne(random, WRITERS), path, fact: randomFact(random) }
}

/** The fact as one word, for engines without a third truth value. */
export function describeExistence(fact) {
  if (fact.exists === 'unknown') return 'unknown'
  if (!fact.exists) return 'no'
  return fact.kind === 'directory' ? 'directory' : 'file'
}

export function describeSeen(notes, reader, { path, fact }) {
  const known = notes.seen[reader].get(path)
  if (known === undefined) return 'never'
  return known === fact.fingerprint ? 'current' : 'changed'
}
