// Redactions and truncations are told apart from text that looks like them; characters that reorder or hide text are escaped. Pure.
import { isJsonObject, type JsonValue } from '@signalbox/core'
import { bytesText } from '@/components/ui/bytes-text.ts'

/** Placeholder for a removed value: "redacted by builtin.secrets". */
export interface Omission {
  readonly kind: 'omission'
  readonly words: string
}

export type JsonPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** `pointer`: place of the removed value, as a JSON pointer. */
  | (Omission & { readonly pointer: string })

/** Formatting characters that change the order of text or hide it. */
const DECEIVING = /\p{Cf}/gu

export function escapeInvisible(text: string): string {
  return text.replace(DECEIVING, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      const code = character.charCodeAt(at).toString(16).padStart(4, '0')
      return `\\u${code}`
    }).join(''),
  )
}

const quoteVisibly = (text: string): string => escapeInvisible(JSON.stringify(text))

function truncatedWords(mark: JsonValue | undefined): string | null {
  if (!isJsonObject(mark)) return null
  const { bytes, sha256, entries, depth } = mark
  if (typeof bytes === 'number') {
    const hash = typeof sha256 === 'string' ? `, sha256 ${sha256.slice(0, 8)}…` : ''
    return `left out, ${bytesText(bytes)}${hash}`
  }
  if (typeof entries === 'number') return `truncated from ${entries} entries`
  return typeof depth === 'number' ? `left out, ${depth} levels down` : null
}

export function readOmission(value: JsonValue): Omission | null {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return null
  const rule = value['$redacted']
  const words =
    typeof rule === 'string' ? `redacted by ${rule}` : truncatedWords(value['$truncated'])
  return words === null ? null : { kind: 'omission', words }
}

export function jsonPieces(value: JsonValue): readonly JsonPiece[] {
  const pieces: JsonPiece[] = []
  write(value, { indent: '', pointer: '' }, pieces)
  return pieces
}

interface Where {
  readonly indent: string
  readonly pointer: string
}

function write(value: JsonValue, { indent, pointer }: Where, pieces: JsonPiece[]): void {
  const say = (text: string): void => {
    const last = pieces.at(-1)
    if (last?.kind === 'text') pieces[pieces.length - 1] = { kind: 'text', text: last.text + text }
    else pieces.push({ kind: 'text', text })
  }
  const mark = readOmission(value)
  if (mark !== null) {
    pieces.push({ ...mark, pointer })
    return
  }
  if (typeof value !== 'object' || value === null) {
    say(typeof value === 'string' ? quoteVisibly(value) : JSON.stringify(value))
    return
  }
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) {
    say(`${open}${close}`)
    return
  }
  const inner = `${indent}  `
  entries.forEach(([name, item], at) => {
    say(`${at === 0 ? open : ','}\n${inner}${isList ? '' : `${quoteVisibly(name)}: `}`)
    write(item, { indent: inner, pointer: `${pointer}/${name}` }, pieces)
  })
  say(`\n${indent}${close}`)
}
