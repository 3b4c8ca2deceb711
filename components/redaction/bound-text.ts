import { countText } from '@signalbox/core/analysis'

/** Null: the choice is complete. `total` null: not counted yet. */
export function boundText(shown: number, total: number | null): string | null {
  if (total === null || total <= shown) return null
  return `Shows ${countText(shown)} of ${countText(total)} configs, sorted by name.`
}
