import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Problem,
  type ProblemFix,
} from '@signalbox/core'
import {
  type JsonPath,
  parsePointer,
  removeValue,
  renameKey,
  setValue,
  type TextEdit,
} from '@/components/kit/diff/json-edit.ts'
import { freeId, objectAt, valueAt } from '@/components/kit/diff/json-values.ts'
import { NEW_TRIGGER, OFFERED_TYPES } from './new-rules.ts'

export interface PromptOf {
  readonly ns: string
  readonly key: string
}

/** Null: no obvious fix. */
export function suggestFix(
  problem: Problem,
  value: JsonObject | null,
  prompt: PromptOf,
): ProblemFix | null {
  if (problem.fix !== undefined) return problem.fix
  const { pointer, code } = problem
  if (code === 'other_prompt') {
    return { kind: 'set', pointer, value: pointer === '/ns' ? prompt.ns : prompt.key }
  }
  if (code !== 'invalid_type' || value === null) return null
  const steps = resolvePointer(pointer, value)
  if (valueAt(value, steps) !== undefined) return null
  const begin = suggestInitialValue(steps, value, prompt)
  return begin === undefined ? null : { kind: 'set', pointer, value: begin }
}

/** Steps into a list become numbers. */
function resolvePointer(pointer: string, document: JsonObject): JsonPath {
  let node: JsonValue | undefined = document
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(node) ? Number(name) : name
      node = node === undefined ? undefined : valueAt(node, [step])
      return step
    })
}

const TEMPLATES = Object.values(OFFERED_TYPES)
  .flat()
  .map(({ rule }) => rule)

function suggestInitialValue(
  steps: JsonPath,
  value: JsonObject,
  { ns, key }: PromptOf,
): JsonValue | undefined {
  const name = String(steps.at(-1))
  if (steps.length === 1) return { ns, key, schema_version: 1 }[name]
  const rule = objectAt(value, steps.slice(0, -1))
  // A content rule has a kind instead of a type.
  const { type = rule['kind'] } = rule
  if (name === 'id')
    return freeId(
      value,
      typeof type === 'string' && type !== '' ? type.replace(/^.*\//, '') : 'new',
    )
  if (name === 'trigger') return NEW_TRIGGER
  const template = TEMPLATES.find((sample) => (sample['type'] ?? sample['kind']) === type)
  return template !== undefined && Object.hasOwn(template, name) ? template[name] : undefined
}

/** Null: the text no longer has this place, or the fix would overwrite another value. */
export function toTextEdit(text: string, fix: ProblemFix): TextEdit | null {
  const path = parsePointer(fix.pointer, text)
  switch (fix.kind) {
    case 'set':
      return setValue(text, path, fix.value)
    case 'remove':
      return removeValue(text, path)
    case 'rename':
      return renameKey(text, path, fix.name)
    default:
      return fix satisfies never
  }
}

const LONGEST_SHOWN = 24

export function fixLabel(fix: ProblemFix): string {
  const name = fix.pointer.slice(fix.pointer.lastIndexOf('/') + 1)
  switch (fix.kind) {
    case 'set': {
      const shown = JSON.stringify(fix.value)
      const isShort = !isJsonObject(fix.value) && shown.length <= LONGEST_SHOWN
      return isShort ? `Use ${shown}` : `Set ${name}`
    }
    case 'remove':
      return /^\d+$/.test(name) ? 'Remove it' : `Remove ${name}`
    case 'rename':
      return `Rename to ${JSON.stringify(fix.name)}`
    default:
      return fix satisfies never
  }
}
