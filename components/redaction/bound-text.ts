// How many configs a choice holds, where it does not hold all. Pure.
import { countText } from '@signalbox/core/analysis'

/** Null: it holds all of them. `total` null: not counted yet. */
export function boundText(shown: number, total: number | null): string | null {
  if (total === null || total <= shown) return null
  return `Shows ${countText(shown)} of ${countText(total)} configs, sorted by name.`
}
