// Counts the configs in an incomplete choice. Pure.
import { countText } from '@signalbox/core/analysis'

/** Null: it holds all of them. `total` null: not counted yet. */
export function boundText(shown: number, total: number | null): string | null {
  if (total === null || total <= shown) return null
  return `Shows ${countText(shown)} of ${countText(total)} configs, sorted by name.`
}
