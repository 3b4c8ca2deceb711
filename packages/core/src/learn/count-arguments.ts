import { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from '../model/json.ts'
import { FAMILIES, groupName } from './counts.ts'
import type { GroupWriter } from './group-writer.ts'

/** Longer texts are no names of a thing. */
const LONGEST_VALUE = 40
/** More values than a group keeps, so that writing the group drops it. */
const MOST_VALUES = 25
const MARKS = ['$redacted', '$truncated', '$removed']

interface SeenValue {
  sessions: number
  /** Number of the last session with it. */
  last: number
}

interface ArgumentCount {
  calls: number
  sessions: number
  /** Number of the last session with it. */
  last: number
  hidden: number
  /** null: texts that are too long to be names, lists and objects. */
  readonly values: Map<JsonPrimitive, SeenValue>
  readonly prefixes: Map<string, number>
  readonly largest: Map<number, number>
  readonly smallest: Map<number, number>
  // In the session that is read.
  min: number
  max: number
  /** Prefix of every text so far; empty: they have none in common, or one is no text. null: no value yet. */
  prefix: string | null
}

function newCount(): ArgumentCount {
  return {
    calls: 0,
    sessions: 0,
    last: -1,
    hidden: 0,
    values: new Map(),
    prefixes: new Map(),
    largest: new Map(),
    smallest: new Map(),
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    prefix: null,
  }
}

function isMark(value: JsonValue): boolean {
  return isJsonObject(value) && MARKS.some((mark) => Object.hasOwn(value, mark))
}

/** Two significant digits, away from zero for the larger side: few different bounds, and none inside of what was seen. */
function roundOutwards(value: number, side: 1 | -1): number {
  if (value === 0) return 0
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1)
  const steps = value / unit
  const rounded = (side === 1 ? Math.ceil(steps - 1e-9) : Math.floor(steps + 1e-9)) * unit
  return Number(rounded.toPrecision(6))
}

/** First folder of a relative path, or origin of an address; empty: the text has none. */
function findPrefix(text: string): string {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\//i.exec(text)
  if (origin !== null) return origin[0]
  const slash = text.indexOf('/')
  return slash > 0 && !text.startsWith('.') ? text.slice(0, slash + 1) : ''
}

/** Of a tool; names that come later are left out, because an agent can make up any number. */
const MOST_ARGUMENTS = 64

export class ArgumentCounts {
  readonly #byTool: (Map<string, ArgumentCount> | undefined)[] = []
  /** Calls of a tool whose arguments were removed as a whole. */
  readonly #hiddenCalls: number[] = []
  #session = 0
  readonly #touched: ArgumentCount[] = []

  begin(): void {
    this.#session += 1
    this.#touched.length = 0
  }

  call(x: number, args: JsonObject): void {
    if (isMark(args)) {
      this.#hiddenCalls[x] = (this.#hiddenCalls[x] ?? 0) + 1
      return
    }
    const known = this.#byTool[x] ?? new Map<string, ArgumentCount>()
    this.#byTool[x] = known
    for (const [name, value] of Object.entries(args)) {
      const counted = known.get(name) ?? (known.size < MOST_ARGUMENTS ? newCount() : null)
      if (counted === null) continue
      known.set(name, counted)
      this.#see(counted, value)
    }
  }

  #see(counted: ArgumentCount, value: JsonValue): void {
    counted.calls += 1
    if (counted.last !== this.#session) {
      counted.last = this.#session
      counted.sessions += 1
      counted.min = Number.POSITIVE_INFINITY
      counted.max = Number.NEGATIVE_INFINITY
      counted.prefix = null
      this.#touched.push(counted)
    }
    if (typeof value === 'number') {
      counted.min = Math.min(counted.min, value)
      counted.max = Math.max(counted.max, value)
    }
    if (typeof value !== 'string') counted.prefix = ''
    else if (counted.prefix === null) counted.prefix = findPrefix(value)
    else if (!value.startsWith(counted.prefix)) counted.prefix = ''
    this.#seeValue(counted, value)
  }

  #seeValue(counted: ArgumentCount, value: JsonValue): void {
    const { values } = counted
    if (isMark(value)) counted.hidden += 1
    const isLong = typeof value === 'object' || String(value).length > LONGEST_VALUE
    const key = isLong ? null : value
    const seen = values.get(key)
    if (seen === undefined) {
      if (values.size < MOST_VALUES) values.set(key, { sessions: 1, last: this.#session })
    } else if (seen.last !== this.#session) {
      seen.last = this.#session
      seen.sessions += 1
    }
  }

  end(): void {
    for (const { min, max, prefix, largest, smallest, prefixes } of this.#touched) {
      if (max >= min) {
        add(largest, roundOutwards(max, 1))
        add(smallest, roundOutwards(min, -1))
      }
      if (prefix && prefixes.size < MOST_VALUES) add(prefixes, prefix)
    }
  }

  write(writer: GroupWriter, names: readonly string[]): void {
    for (const [x, tool] of names.entries()) {
      writer.add(groupName(FAMILIES.hidden, tool), '', this.#hiddenCalls[x] ?? 0)
      for (const [name, counted] of this.#byTool[x] ?? []) {
        const key = JSON.stringify(name)
        writer.add(groupName(FAMILIES.argumentCalls, tool), key, counted.calls)
        writer.add(groupName(FAMILIES.argumentSessions, tool), key, counted.sessions)
        writer.add(groupName(FAMILIES.hidden, tool), key, counted.hidden)
        const values = groupName(FAMILIES.value, tool, key)
        for (const [value, { sessions }] of counted.values)
          writer.add(values, JSON.stringify(value), sessions)
        writer.addAll(groupName(FAMILIES.prefix, tool, key), counted.prefixes)
        writer.addAll(groupName(FAMILIES.largest, tool, key), counted.largest)
        writer.addAll(groupName(FAMILIES.smallest, tool, key), counted.smallest)
      }
    }
  }
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
