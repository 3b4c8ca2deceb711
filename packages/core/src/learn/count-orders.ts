// One walk over the tools by their last success, newest first, counts every "X after Y" and "X after Y since Z" at once.
import { FAMILIES, groupName, STOP } from './counts.ts'
import type { GroupWriter } from './group-writer.ts'
import { eachBit, MOST_TOOLS, STOP_INDEX } from './tool-table.ts'

const T = MOST_TOOLS
const PLACES = T + 1
/** Positions of calls are counted by powers of two. */
const POSITIONS = 16
/** Distance of the moments at which the order of all tools is noted. */
const EVERY = 16
const OFFSET = 7

/** The successes so far, as a call or a stop finds them. */
export interface Successes {
  /** Tools by their last success, newest first. */
  readonly order: readonly number[]
  /** Bits of tools that succeeded. */
  readonly succeeded: number
  /** Bits of tools whose last run was a success. */
  readonly lastSucceeded: number
}

const NONE: Successes = { order: [], succeeded: 0, lastSucceeded: 0 }

/** Bucket of a position: the number of its binary digits. */
function toBucket(position: number): number {
  return Math.min(POSITIONS - 1, 32 - Math.clz32(position))
}

export class OrderCounts {
  /** Replaced, never changed: a call that waits keeps the successes at its request. */
  now: Successes = NONE

  readonly #called = new Uint32Array(PLACES)
  readonly #before = new Uint32Array(PLACES * T)
  readonly #both = new Uint32Array(PLACES * T * T)
  readonly #late = new Uint32Array(PLACES * T * T)
  readonly #newer = new Uint32Array(T * T)
  readonly #firstCalls = new Uint32Array(PLACES * POSITIONS)
  readonly #firstSuccesses = new Uint32Array(T * POSITIONS)

  // The session that is read.
  readonly #seen: number[] = []
  readonly #isSeen = new Uint8Array(PLACES)
  readonly #firstAt = new Uint32Array(PLACES)
  readonly #kept = new Int32Array(PLACES)
  readonly #present = new Int32Array(PLACES)
  readonly #lateBits = new Int32Array(PLACES * T)
  #position = 0

  begin(): void {
    this.now = NONE
    this.#position = 0
    for (const x of this.#seen) {
      this.#isSeen[x] = 0
      this.#lateBits.fill(0, x * T, (x + 1) * T)
    }
    this.#seen.length = 0
  }

  /** A call was not refused at its request. */
  advance(): void {
    this.#position += 1
    if (this.#position % EVERY === OFFSET) this.#noteMoment(this.now.order)
  }

  #noteMoment(order: readonly number[]): void {
    for (const [i, y] of order.entries()) {
      for (const z of order.slice(i + 1)) {
        const at = y * T + z
        this.#newer[at] = (this.#newer[at] ?? 0) + 1
      }
    }
  }

  /** `x` is judged with these successes. */
  judge(x: number, { order, succeeded, lastSucceeded }: Successes): void {
    const kept = x === STOP_INDEX ? lastSucceeded : succeeded
    if (this.#isSeen[x] === 0) {
      this.#isSeen[x] = 1
      this.#seen.push(x)
      this.#firstAt[x] = this.#position
      this.#kept[x] = kept
      this.#present[x] = succeeded
    } else {
      this.#kept[x] = (this.#kept[x] ?? 0) & kept
      this.#present[x] = (this.#present[x] ?? 0) | succeeded
    }
    const late = this.#lateBits
    const row = x * T
    let ahead = 0
    for (const y of order) {
      late[row + y] = (late[row + y] ?? 0) | ahead
      ahead |= 1 << y
    }
  }

  succeed(x: number): void {
    const { order, succeeded, lastSucceeded } = this.now
    const bit = 1 << x
    if ((succeeded & bit) === 0) {
      const at = x * POSITIONS + toBucket(this.#position)
      this.#firstSuccesses[at] = (this.#firstSuccesses[at] ?? 0) + 1
    }
    this.now = {
      order: order[0] === x ? order : [x, ...order.filter((y) => y !== x)],
      succeeded: succeeded | bit,
      lastSucceeded: lastSucceeded | bit,
    }
  }

  /** `x` ran, and is not known to have succeeded. */
  fail(x: number): void {
    this.now = { ...this.now, lastSucceeded: this.now.lastSucceeded & ~(1 << x) }
  }

  end(): void {
    for (const x of this.#seen) {
      this.#called[x] = (this.#called[x] ?? 0) + 1
      const at = x * POSITIONS + toBucket(this.#firstAt[x] ?? 0)
      this.#firstCalls[at] = (this.#firstCalls[at] ?? 0) + 1
      this.#endTool(x)
    }
  }

  #endTool(x: number): void {
    const present = this.#present[x] ?? 0
    eachBit((this.#kept[x] ?? 0) & omitOwn(x), (y) => {
      const pair = x * T + y
      this.#before[pair] = (this.#before[pair] ?? 0) + 1
      const late = this.#lateBits[pair] ?? 0
      eachBit(present & ~(1 << y) & omitOwn(x), (z) => {
        const at = pair * T + z
        this.#both[at] = (this.#both[at] ?? 0) + 1
        if ((late & (1 << z)) !== 0) this.#late[at] = (this.#late[at] ?? 0) + 1
      })
    })
  }

  write(writer: GroupWriter, names: readonly string[]): void {
    const tools = names.map((name, index) => ({ name, index }))
    for (const x of [...tools, { name: STOP, index: STOP_INDEX }]) {
      writer.add(FAMILIES.called, x.name, this.#called[x.index] ?? 0)
      writer.addAll(
        groupName(FAMILIES.firstCall, x.name),
        rowAt(this.#firstCalls, x.index, POSITIONS).entries(),
      )
      for (const y of tools) this.#writePair(writer, [x, y], tools)
    }
    for (const y of tools) {
      const firsts = rowAt(this.#firstSuccesses, y.index, POSITIONS)
      writer.addAll(groupName(FAMILIES.firstSuccess, y.name), firsts.entries())
      const newer = listByTool(rowAt(this.#newer, y.index, T), tools)
      writer.addAll(groupName(FAMILIES.newer, y.name), newer)
    }
  }

  #writePair(
    writer: GroupWriter,
    [x, y]: readonly [NumberedTool, NumberedTool],
    tools: readonly NumberedTool[],
  ): void {
    const pair = x.index * T + y.index
    const sessions = this.#before[pair] ?? 0
    if (sessions === 0) return
    writer.add(groupName(FAMILIES.before, x.name), y.name, sessions)
    const both = listByTool(rowAt(this.#both, pair, T), tools)
    writer.addAll(groupName(FAMILIES.both, x.name, y.name), both)
    const late = listByTool(rowAt(this.#late, pair, T), tools)
    writer.addAll(groupName(FAMILIES.late, x.name, y.name), late)
  }
}

interface NumberedTool {
  readonly name: string
  readonly index: number
}

function rowAt(table: Uint32Array, row: number, width: number): Uint32Array {
  return table.subarray(row * width, (row + 1) * width)
}

function* listByTool(row: Uint32Array, tools: readonly NumberedTool[]) {
  for (const { name, index } of tools) yield [name, row[index] ?? 0] as const
}

/** Every bit but that of the tool itself, which no rule about the tool names. */
function omitOwn(x: number): number {
  return x === STOP_INDEX ? -1 : ~(1 << x)
}
