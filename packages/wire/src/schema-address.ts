// `$schema` names the schema of a config for editors. It stays in files, and is removed when a text is saved, so it is never part of a version.
import { type MemberNode, parse, type ValueNode } from '@humanwhocodes/momoa'
import { isTooDeep } from './nesting.ts'

const NAME = '$schema'

interface FoundAddress {
  readonly address: string
  /** Range of the member with the comma and spaces that belong to it. */
  readonly start: number
  readonly end: number
}

/** null: the text is no JSON object, or names no schema. */
function findAddress(text: string): FoundAddress | null {
  if (!text.includes(`"${NAME}"`) || isTooDeep(text)) return null
  const root = parseOrNull(text)
  if (root?.type !== 'Object') return null
  const index = root.members.findIndex(({ name }) => name.type === 'String' && name.value === NAME)
  const [before, found, after] = [index - 1, index, index + 1].map((i) => root.members[i])
  if (found?.value.type !== 'String') return null
  const address = found.value.value
  const [start, end] = offsets(found)
  if (after !== undefined) return { address, start, end: offsets(after)[0] }
  return { address, start: before === undefined ? start : offsets(before)[1], end }
}

function parseOrNull(text: string): ValueNode | null {
  try {
    return parse(text, { mode: 'json' }).body
  } catch {
    return null
  }
}

function offsets({ loc }: MemberNode): readonly [start: number, end: number] {
  return [loc.start.offset, loc.end.offset]
}

/** null: the text names no schema. */
export function readSchemaAddress(text: string): string | null {
  return findAddress(text)?.address ?? null
}

/** Leaves every other character as it is, and a text that is not JSON whole. */
export function withoutSchemaAddress(text: string): string {
  const found = findAddress(text)
  return found === null ? text : text.slice(0, found.start) + text.slice(found.end)
}

/** Names a schema in the text of a config that names none; `withoutSchemaAddress` gives the same text back. */
export function withSchemaAddress(text: string, address: string): string {
  return text.replace(
    /^(\s*\{)(\s*)/,
    (_, start: string, space: string) =>
      `${start}${space}"${NAME}": ${JSON.stringify(address)},${space || ' '}`,
  )
}
