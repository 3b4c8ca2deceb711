// Core's lint compares names in a document the same way; wire runs no core code.
import * as z from 'zod/v4'
import { ConfigV1 } from './config-v1.ts'

function listFields(schema: unknown, seen: Set<unknown>): readonly string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, field]) => [
      name,
      ...listFields(field, seen),
    ])
  }
  if (schema instanceof z.ZodArray) return listFields(schema.element, seen)
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((option) => listFields(option, seen))
  }
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodLazy) {
    return listFields(schema.unwrap(), seen)
  }
  return []
}

const FIELDS: readonly string[] = [...new Set(listFields(ConfigV1, new Set()))]

/** null: no field is close (a third of the name may change), or the name is a known field in the wrong place. */
export function nearest(name: string): string | null {
  if (FIELDS.includes(name)) return null
  const wanted = name.toLowerCase().replaceAll('-', '_')
  const farthest = Math.floor(name.length / 3)
  let best: { readonly field: string; readonly distance: number } | null = null
  for (const field of FIELDS) {
    // Every added or removed character is one change. Without this check, a name of 1 MB took seven seconds.
    if (Math.abs(field.length - wanted.length) > farthest) continue
    const distance = computeDistance(wanted, field)
    if (best === null || distance < best.distance) best = { field, distance }
  }
  return best !== null && best.distance <= farthest ? best.field : null
}

function computeDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}
