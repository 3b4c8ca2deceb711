// The arguments of a call as a person reads them before they decide: what redaction hid is told apart from text that says so, and
// characters that turn or hide what stands beside them are spelled out. Pure.
import { isJsonObject, type JsonValue } from '@signalbox/core'

export type ArgsPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** Hidden by the redaction rule; where, as a JSON pointer. */
  | { readonly kind: 'hidden'; readonly rule: string; readonly pointer: string }

/** Formatting characters that draw text in another order, or not at all. */
const DECEIVING = /\p{Cf}/gu

function spelled(text: string): string {
  return JSON.stringify(text).replace(DECEIVING, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      const code = character.charCodeAt(at).toString(16).padStart(4, '0')
      return `\\u${code}`
    }).join(''),
  )
}

function ruleOf(value: JsonValue): string | null {
  if (!isJsonObject(value)) return null
  const rule = value['$redacted']
  return typeof rule === 'string' && Object.keys(value).length === 1 ? rule : null
}

/** JSON with two spaces of indent. */
export function argsPieces(value: JsonValue): readonly ArgsPiece[] {
  const pieces: ArgsPiece[] = []
  write(value, { indent: '', pointer: '' }, pieces)
  return pieces
}

interface Where {
  readonly indent: string
  readonly pointer: string
}

function write(value: JsonValue, { indent, pointer }: Where, pieces: ArgsPiece[]): void {
  const say = (text: string): void => {
    const last = pieces.at(-1)
    if (last?.kind === 'text') pieces[pieces.length - 1] = { kind: 'text', text: last.text + text }
    else pieces.push({ kind: 'text', text })
  }
  const rule = ruleOf(value)
  if (rule !== null) {
    pieces.push({ kind: 'hidden', rule, pointer })
    return
  }
  if (typeof value !== 'object' || value === null) {
    say(typeof value === 'string' ? spelled(value) : JSON.stringify(value))
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
    say(`${at === 0 ? open : ','}\n${inner}${isList ? '' : `${spelled(name)}: `}`)
    write(item, { indent: inner, pointer: `${pointer}/${name}` }, pieces)
  })
  say(`\n${indent}${close}`)
}
