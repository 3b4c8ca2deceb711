import { pointerTo } from '../../model/json.ts'
import type { Problem } from '../../model/problem.ts'

export interface Placed<Item> {
  readonly item: Item
  readonly pointer: string
}

export function place<Item>(items: readonly Item[], pointer: string): Placed<Item>[] {
  return items.map((item, i) => ({ item, pointer: pointerTo(pointer, i) }))
}

export function error(pointer: string, code: string, message: string): Problem {
  return { pointer, code, severity: 'error', message }
}

export function warning(pointer: string, code: string, message: string): Problem {
  return { pointer, code, severity: 'warning', message }
}
