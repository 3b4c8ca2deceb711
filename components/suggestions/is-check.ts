import type { FoundRule } from '@/server/suggestions/learn-runs.sql.ts'

/** Checks of stops have no mode: they act at once. */
export function isCheck({ placed }: FoundRule): boolean {
  return placed.pointer === '/task_completion_checker'
}
