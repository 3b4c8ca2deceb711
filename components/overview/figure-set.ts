import { countText } from '@signalbox/core/analysis'
import type { inferRouterOutputs } from '@trpc/server'
import { MOST_COUNTED } from '@/server/sessions/sessions.list.ts'
import type { AppRouter } from '@/server/trpc/root.ts'

export type FigureSet = inferRouterOutputs<AppRouter>['overview']['figures']

/** Sessions are counted up to a limit. */
export function runningText(running: number): string {
  return running > MOST_COUNTED ? `${countText(MOST_COUNTED)}+` : countText(running)
}
