// A flood from one key leaves room for all others.

import { ServiceError } from '@/server/platform/base/errors.ts'
import { waitingForConnection } from '@/server/platform/db/sql-transaction.ts'

const MIB = 1024 * 1024
/** Bytes of bodies that are being read, wait, or are being stored. The largest batch fits into a third. */
const MOST_BYTES = 256 * MIB
/** Overhead of a chunk, so that a body in single bytes is not free. */
const CHUNK_BYTES = 128
/** Batches that wait or are being stored. A live agent has one, so this is the number of agents that may report at the same moment. */
const MOST_BATCHES = 512
/** Batches parsed and stored at once. More would not store faster: parsed events of waiting batches only cost memory. */
const MOST_AT_WORK = 3
/** Number of queries that may wait for a database connection before senders are refused. */
const MOST_WAITING = 32

export interface Sender {
  readonly projectId: string
  /** Id of the API key or the user, unique over all projects. */
  readonly callerId: string
}

/** Dynamic thresholds (Choudhury and Hahne, 1998): a project may hold as much as is free, a caller half of that. A part always stays free. */
export class FairShares {
  #free: number
  readonly #held = new Map<string, number>()

  constructor(total: number) {
    this.#free = total
  }

  /** False, and nothing is taken, when the sender already holds its share. */
  take({ projectId, callerId }: Sender, amount: number): boolean {
    const projectAmount = (this.#held.get(projectId) ?? 0) + amount
    const callerAmount = (this.#held.get(callerId) ?? 0) + amount
    if (projectAmount > this.#free || callerAmount * 2 > this.#free) return false
    this.#free -= amount
    this.#held.set(projectId, projectAmount)
    this.#held.set(callerId, callerAmount)
    return true
  }

  giveBack({ projectId, callerId }: Sender, amount: number): void {
    this.#free += amount
    for (const id of [projectId, callerId]) {
      const rest = (this.#held.get(id) ?? 0) - amount
      if (rest > 0) this.#held.set(id, rest)
      else this.#held.delete(id)
    }
  }
}

interface Waiting {
  readonly sender: Sender
  readonly start: () => void
}

/** Batches that wait for a turn. Projects take turns; within a project, its callers take turns. */
export class FairQueue {
  #waiting: readonly Waiting[] = []
  readonly #lastTurn = new Map<string, number>()
  #turn = 0

  add(waiting: Waiting): void {
    this.#waiting = [...this.#waiting, waiting]
  }

  next(): Waiting | null {
    const [first, ...rest] = this.#waiting
    if (first === undefined) {
      this.#lastTurn.clear()
      return null
    }
    const chosen = rest.reduce((best, one) => (this.#isBefore(one, best) ? one : best), first)
    this.#waiting = this.#waiting.filter((one) => one !== chosen)
    this.#turn += 1
    this.#lastTurn.set(chosen.sender.projectId, this.#turn)
    this.#lastTurn.set(chosen.sender.callerId, this.#turn)
    return chosen
  }

  #isBefore({ sender: a }: Waiting, { sender: b }: Waiting): boolean {
    const last = (id: string) => this.#lastTurn.get(id) ?? 0
    return (last(a.projectId) - last(b.projectId) || last(a.callerId) - last(b.callerId)) < 0
  }
}

function putOff(): ServiceError {
  return new ServiceError('limit', 'Too many batches at once. Send this one again in a second.')
}

/** Throws `limit` when the database lags behind. Call it before the batch takes its turn, unless `work` needs no database. */
export function refuseWhileDatabaseLags(): void {
  if (waitingForConnection() >= MOST_WAITING) throw putOff()
}

const bytes = new FairShares(MOST_BYTES)
const batches = new FairShares(MOST_BATCHES)
const queue = new FairQueue()
let atWork = 0

/**
 * Reads a body, then works on it in the sender's turn; the bytes that `read` reports as kept are free once `work` ends. `work` must not wait
 * for the sender. It may call `endTurn` when it needs little memory from there on, so that the next batch begins. Rejects with `limit` when the sender has used its share of bytes or of batches.
 */
export async function admit<Body, T>(
  sender: Sender,
  read: (keep: (chunkBytes: number) => void) => Promise<Body>,
  work: (body: Body, endTurn: () => void) => Promise<T>,
): Promise<T> {
  let kept = 0
  const keep = (chunkBytes: number): void => {
    const cost = chunkBytes + CHUNK_BYTES
    if (!bytes.take(sender, cost)) throw putOff()
    kept += cost
  }
  try {
    const body = await read(keep)
    return await inTurn(sender, (endTurn) => work(body, endTurn))
  } finally {
    bytes.giveBack(sender, kept)
  }
}

async function inTurn<T>(sender: Sender, work: (endTurn: () => void) => Promise<T>): Promise<T> {
  if (!batches.take(sender, 1)) throw putOff()
  let hasTurn = true
  const endTurn = (): void => {
    if (hasTurn) startNext()
    hasTurn = false
  }
  try {
    if (atWork >= MOST_AT_WORK) {
      await new Promise<void>((start) => queue.add({ sender, start }))
    } else atWork += 1
    return await work(endTurn)
  } finally {
    endTurn()
    batches.giveBack(sender, 1)
  }
}

/** The next batch takes over the place, so the count stays. */
function startNext(): void {
  const next = queue.next()
  if (next === null) atWork -= 1
  else next.start()
}
